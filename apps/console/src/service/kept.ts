/** For how long something is kept: as long as the browser has it, or as long as this tab is open. */
export type Keeping = "browser" | "tab";

const storages = { browser: () => localStorage, tab: () => sessionStorage };

/** What the page keeps. A browser that refuses storage keeps nothing, and the page works all the same. */
export function readKept(name: string, keeping: Keeping = "browser"): string | undefined {
  try {
    return storages[keeping]().getItem(`product-search ${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string | undefined, keeping: Keeping = "browser"): void {
  try {
    if (value === undefined) storages[keeping]().removeItem(`product-search ${name}`);
    else storages[keeping]().setItem(`product-search ${name}`, value);
  } catch {
    // Kept in memory by whoever called; there is nothing else to do.
  }
}
