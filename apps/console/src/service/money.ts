/** The deployment's one currency, which the service writes into the page. */
export const currency = document.querySelector<HTMLMetaElement>('meta[name="currency"]')?.content || "USD";
const format = new Intl.NumberFormat(undefined, { style: "currency", currency });
const counts = new Intl.NumberFormat();

export function formatPrice(price: number): string {
  return format.format(price);
}

export function formatCount(count: number): string {
  return counts.format(count);
}
