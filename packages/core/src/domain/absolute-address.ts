/** URLs of the service's own pages and images are stored as paths, so that its base URL may change. */
export function absoluteAddress(address: string, publicUrl: string): string {
  return address.startsWith("/") ? publicUrl + address : address;
}
