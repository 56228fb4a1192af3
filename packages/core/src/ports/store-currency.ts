/** The currency of all prices in the store. Kept with them, because a stored price is only a number. */
export interface StoreCurrency {
  /** Undefined before the first import. */
  read(): Promise<string | undefined>;
  /** Records the currency if none is recorded. Returns the recorded one, which another process may have chosen. */
  record(currency: string): Promise<string>;
  /** Prices are not converted. */
  replace(currency: string): Promise<void>;
}
