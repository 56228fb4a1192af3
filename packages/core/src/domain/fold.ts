/** One spelling for all forms of a text, by the same table as the search. */
export { fold } from "@product-search/text-index/fold";
