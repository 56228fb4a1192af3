const longest = 160;

/** A name with markup, a link, an amount of money or a control character is shown as data, but not used in a sentence. */
export function isSpeakable(text: string): boolean {
  return (
    text.length <= longest &&
    !/[<>{}[\]|\\`\p{Cc}\p{Cf}\p{Sc}]/u.test(text) &&
    !/(?:https?:|www\.|\b[\w-]+\.(?:com|net|org|io|shop|example|info|biz|ru|cn)\b)/iu.test(text) &&
    !/\b(?:ignore|disregard|instructions?|system prompt)\b/iu.test(text)
  );
}
