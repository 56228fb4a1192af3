const currency = document.querySelector<HTMLMetaElement>('meta[name="currency"]')?.content || "USD";
const format = new Intl.NumberFormat(undefined, { style: "currency", currency });

/** A price in the deployment's one currency, which the service writes into the page. */
export function formatPrice(price: number): string {
  return format.format(price);
}

export function formatCount(count: number): string {
  return new Intl.NumberFormat(undefined).format(count);
}
