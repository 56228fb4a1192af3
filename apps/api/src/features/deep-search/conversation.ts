/** A query, and those before it in the same conversation, oldest first. */
export interface Conversation {
  query: string;
  history?: readonly string[];
}
