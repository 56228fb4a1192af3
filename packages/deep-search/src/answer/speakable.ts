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

const host = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/iu;

/** A store may be called like its host, which an import takes if the feed names no store. */
export function isSpeakableStore(name: string): boolean {
  return isSpeakable(name) || (name.length <= longest && host.test(name));
}
