/**
 * The URL as it is sent: its host in punycode, other non-ASCII letters percent-encoded. A plain URL does not change.
 */
export function asciiUrl(text: string): string {
  return isAscii(text) ? text : (URL.parse(text)?.href ?? text);
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}
