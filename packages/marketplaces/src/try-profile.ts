import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { DayQuota, SecondQuota } from "@product-search/core/ports/quotas.ts";
import { createItemMapper, type MappedItem } from "./http/profile/map-item.ts";
import { secretsOf } from "./http/profile/parse-profile.ts";
import type { Profile } from "./http/profile/profile.ts";
import { createPageReader, planWindows } from "./http/read-page.ts";
import { createRequestGate } from "./http/request-gate.ts";
import { UpstreamError } from "./http/send-safely.ts";
import { type BuiltRequest, createUpstream } from "./http/upstream.ts";

export interface TrialSettings {
  profile: Profile;
  marketplace: Marketplace;
  secret(name: string): string;
  outboundHttp: Pick<OutboundHttp, "send">;
  dayQuota: DayQuota;
  secondQuota?: SecondQuota | undefined;
  clock: Clock;
}

/** Everything about one request of a profile. Secrets are masked wherever they appear. */
export interface Trial {
  request?: BuiltRequest;
  response?: { status: number; contentType: string | undefined; bytes: number; text: string };
  total?: number;
  items: MappedItem[];
  /** The reason why there are no products, if there is one. */
  fault?: string;
}

const timeoutMs = 10_000;

/** Sends one search as the profile describes, without cache, retries and circuit breaker, and reports all details. */
export async function tryProfile(settings: TrialSettings, text: string, count: number): Promise<Trial> {
  const { profile, clock, dayQuota, secondQuota } = settings;
  const trial: Trial = { items: [] };
  const hide = blackener(settings);
  const ask = createUpstream({
    ...settings,
    gate: createRequestGate({ clock, dayQuota, secondQuota, ...profile.quota }),
    trace(request, { status, headers, bytes }) {
      const contentType = headers["content-type"];
      trial.request = request;
      trial.response = {
        status,
        contentType,
        bytes: bytes.length,
        text: hide(new TextDecoder().decode(bytes)),
      };
    },
  });
  try {
    const deadline = { latestMs: clock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
    const json = await ask(text.trim().replace(/\s+/gu, " "), firstPage(profile, count), deadline);
    const page = createPageReader(profile, createItemMapper(profile, settings.marketplace))(json);
    trial.items = page.items;
    if (page.total !== undefined) trial.total = page.total;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    trial.fault = `${profile.name} ${error.message}${reason(error.cause)}`;
  }
  return trial;
}

function firstPage({ pagination }: Profile, count: number): Record<string, string> {
  const limit = Math.min(count, pagination.maxLimit);
  if (pagination.style === "cursor") return { [pagination.limitParameter]: String(limit) };
  return planWindows(pagination, 0, limit)[0]?.parameters ?? {};
}

/** Some marketplaces repeat the request, including its key, in their response. */
function blackener({ profile, secret }: TrialSettings): (text: string) => string {
  const secrets = secretsOf(profile)
    .flatMap((name) => [secret(name), encodeURIComponent(secret(name))])
    .filter((value) => value !== "");
  return (text) => secrets.reduce((shown, value) => shown.replaceAll(value, "***"), text);
}

function reason(cause: unknown): string {
  return cause instanceof Error ? ` (${cause.message})` : "";
}
