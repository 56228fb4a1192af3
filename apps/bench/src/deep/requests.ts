import requests from "./requests.json" with { type: "json" };

/** The expected understanding of one intent; prices in the major unit of the currency. What is missing must not be read. */
export interface ExpectedIntent {
  category?: string;
  words?: string;
  /** Its purpose and place. */
  for?: string;
  /** Wishes that only affect the order. */
  wishes?: string;
  min?: number;
  max?: number;
  rating?: number;
  discount?: number;
  stock?: string;
  brand?: string;
  store?: string;
  /** "red|blue black": red or blue, and black. */
  colours?: string;
  size?: string;
  /** "leather, shoulder strap". */
  without?: string;
}

export interface EvalRequest {
  request: string;
  intents: readonly ExpectedIntent[];
  sort?: string;
  /** A budget for all intents together. */
  budget?: number;
  topic?: string;
}

/** Written before they were first run, with words of the sample catalog. */
export const evalRequests: readonly EvalRequest[] = requests;
