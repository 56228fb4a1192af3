/** One spelling for all ways of writing a text: the table that the search reads texts with. */
export { fold } from "@product-search/text-index/fold";
