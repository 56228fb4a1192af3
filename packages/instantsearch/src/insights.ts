import { callService, type ServiceOptions } from "./service.js";

type EventType = "click" | "cart" | "purchase";

interface ServiceEvent {
  type: EventType;
  productId: string;
  queryId: string | undefined;
  position: number | undefined;
}

/** What InstantSearch's `insights` option takes as `insightsClient`. */
export type InsightsClient = (method: string, ...values: unknown[]) => void;

const maxEvents = 100;

/**
 * Sends clicks, additions to the cart and purchases to the service, which counts them for its search reports: with a public
 * token, clicks alone. It knows no user and sets no cookie; everything else that InstantSearch reports, such as views, is
 * not sent.
 */
export function createInsightsClient(
  options: ServiceOptions,
  onError: (error: unknown) => void = () => {},
): InsightsClient {
  return (method, ...values) => {
    const events = values.flatMap((value) => toEvents(method, value)).slice(0, maxEvents);
    if (events.length === 0) return;
    // `keepalive`: the click may lead to another page.
    callService(options, "/events", {
      method: "POST",
      body: JSON.stringify({ events }),
      keepalive: true,
    }).catch(onError);
  };
}

interface Reported {
  objectIDs?: readonly string[];
  positions?: readonly number[];
  queryID?: string;
  eventType?: string;
  eventSubtype?: string;
}

function toEvents(method: string, value: unknown): ServiceEvent[] {
  if (Array.isArray(value)) return value.flatMap((one) => toEvents(method, one));
  if (typeof value !== "object" || value === null) return [];
  const { objectIDs = [], positions, queryID, eventType, eventSubtype }: Reported = value;
  const type = typeOf(method, eventType, eventSubtype);
  if (type === undefined) return [];
  return objectIDs.map((productId, index) => ({
    type,
    productId,
    queryId: queryID,
    position: positions?.[index],
  }));
}

function typeOf(method: string, eventType = "", eventSubtype = ""): EventType | undefined {
  if (method.startsWith("purchased") || eventSubtype === "purchase") return "purchase";
  if (method.startsWith("addedToCart") || eventSubtype === "addToCart") return "cart";
  if (method.startsWith("clickedObjectIDs") || eventType === "click") return "click";
  return undefined;
}
