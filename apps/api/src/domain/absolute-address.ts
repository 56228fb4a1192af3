/** Addresses of our own pages and images are kept as paths, so that the service may move. */
export function absoluteAddress(address: string, publicUrl: string): string {
  return address.startsWith("/") ? publicUrl + address : address;
}
