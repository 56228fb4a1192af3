import type { ConversationTopic } from "../understanding.ts";

/** Requests that do not search for a product. The first matching row decides. */
const certain: readonly TopicRow[] = [
  {
    topic: "greeting",
    pattern:
      /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|howdy)(?: there| all)?[ ,]*(?:how are you.*)?$/u,
  },
  {
    topic: "greeting",
    pattern:
      /^(?:(?:hi|hello|hey)\b[ ,]*)?(?:how are you|how(?:'s| is| was) (?:it going|life|your (?:day|week|weekend|evening|morning))|what's up)\b/u,
  },
  {
    topic: "thanks",
    pattern:
      /^(?:many )?(?:thanks|thank you|thx|cheers|great|bye|goodbye|ok|okay|cool)\b(?: (?:you|so|very|much|a|lot|for|your|the|help|in|advance))*[ ,]*$/u,
  },
  {
    topic: "thanks",
    pattern:
      /^(?:you(?:'re| are|'ve been)|that(?:'s| is| was)) (?:\p{L}+ )*?(?:helpful|great|kind|nice|perfect|wonderful|awesome|amazing|brilliant)\b[ ,]*(?:thank.*|thanks.*)?$/u,
  },
  {
    topic: "service",
    pattern:
      /\b(?:who|what) are you\b|\bare you (?:a |an )?(?:bot|robot|human|ai|person|real|chatgpt)\b|\bwhat(?: all)? can you do\b|\bhow (?:do|does|can) (?:you|this|it) work\b|^help(?: me)?$|\byour (?:name|prompt|instructions|rules|system prompt|model)\b|\bsystem prompt\b/u,
  },
  {
    topic: "question",
    pattern:
      /\b(?:tell me|know|write|sing)(?: me)? (?:a|an|some|any) (?:\p{L}+ )?(?:joke|story|poem|song|essay|fact|code|haiku)s?\b|^(?:(?:can|could|would|will) you )?(?:please )?(?:translate|summari[sz]e|calculate|explain|solve|write|sing|draw|code)\b/u,
  },
  {
    topic: "question",
    pattern:
      /\bweather\b.*\b(?:today|tomorrow|in|like|will|forecast)\b|\bwill it (?:rain|snow|be)\b|\bwhat time is it\b|\b(?:capital|president|population|king|queen|prime minister) of\b|\bmeaning of life\b/u,
  },
  {
    topic: "question",
    pattern: /^(?:(?:(?:please|can you|could you) )*(?:tell me|do you know) )?(?:why|when|who|whom|whose)\b/u,
  },
  {
    topic: "question",
    pattern:
      /^(?:so )?how (?:do|does|did|to|can i|can you|should i|would i|is|are|was|many|old|far|long|tall)\b/u,
  },
  { topic: "question", pattern: /^(?:(?:what|how much) is |what.s )?\d+ ?[+*/x-] ?\d+(?: ?=)?[ ,]*$/u },
];

/** What a shop does for its customers, which no product says. */
const service =
  "(?:deliver(?:y|ies|ed)?|ship(?:ping|ped)?|postage|pay(?:ing|ments?)?|invoice|instal?lments?|returns?|refunds?|exchange|cancel|track|guarantees?|warrant(?:y|ies)|send (?:\\p{L}+ ){0,3}back|try (?:\\p{L}+ ){0,3}on|gift[ -]?wrap(?:ping)?|click and collect)";
const serviceQuestion = new RegExp(
  `^(?:(?:so|and|but|please|hi|hello|hey)[ ,]+)*(?:(?:do|does|can|could|will|would|is|are|what|what's|where|how)\\b(?: (?!(?:with|that|which|for(?! ${service})|ready|sell|carry)\\b)[\\p{L}'-]+){0,5}?|tell me about your) ${service}(?=[ ,]*$|[ ,]+(?:to|on|by|in|for|with|from|of|policy|times?|costs?|fees?|options?|conditions?|take|it|them|this|my|your|the|an?|if|when|within|abroad|worldwide|online)\\b)|\\b(?:do|can|could|will|would) (?:you|i|we) (?:\\p{L}+ )?(?:deliver|ship|return|exchange|refund|repair)\\b|\\b(?:where is|track|cancel|return|refund) my (?:order|package|parcel|purchase|money)\\b|\\b(?:refund|return|shipping|privacy) policy\\b|\\b(?:opening|store|shop) hours\\b|\\bcustomer (?:service|support)\\b|\\bmy (?:account|password)\\b|^(?:are|do|when do|when are|where are) you (?:open|closed|located|based)\\b`,
  "u",
);

/** "Do you deliver to Norway?", "can I return it?": about the shop's service, whatever product is named. */
export function asksForService(text: string): boolean {
  return serviceQuestion.test(text);
}

/** Questions that may be about a product ("what is the best tent") or about anything else. */
const openQuestion = /^(?:what|what's|where|is|are|does|do|did|was|will|should)\b/u;

/** Questions about what the shop sells: "what do you have by …". */
const shopQuestion =
  /\b(?:do you(?: guys| all)?|have you|does the shop) (?:have|sell|carry|stock|offer|got)\b|^(?:is|are) there\b/u;

interface TopicRow {
  topic: ConversationTopic;
  pattern: RegExp;
}

/** The topic of a request that certainly searches for no product. */
export function conversationTopic(text: string): ConversationTopic | undefined {
  const plain = text.replace(/[\s,]+/g, " ").trim();
  return certain.find(({ pattern }) => pattern.test(plain))?.topic;
}

/** A question that may be about a product or about anything else. */
export function isOpenQuestion(text: string): boolean {
  return openQuestion.test(text) && !shopQuestion.test(text);
}
