/** How often the most frequent texts of the last days were searched for. */
export interface PopularQueries {
  /** 0 for a text that is not among them. */
  searchesOf(query: string): number;
}
