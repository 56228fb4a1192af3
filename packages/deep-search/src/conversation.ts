/** A query and the earlier queries of the same conversation, oldest first. */
export interface Conversation {
  query: string;
  history?: readonly string[];
}
