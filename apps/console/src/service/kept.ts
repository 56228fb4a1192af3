/** What this browser keeps for the page. One that refuses storage keeps nothing, and the page works all the same. */
export function readKept(name: string): string | undefined {
  try {
    return localStorage.getItem(`product-search ${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`product-search ${name}`);
    else localStorage.setItem(`product-search ${name}`, value);
  } catch {
    // Kept in memory by whoever called; there is nothing else to do.
  }
}
