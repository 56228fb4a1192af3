import { isIP } from "node:net";

/** Whether the text is a network in CIDR notation; a bare address counts as the network of itself. */
export function isCidr(text: string): boolean {
  const [address = "", bits, rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest !== undefined) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
