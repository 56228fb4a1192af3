/**
 * The first statement of a transaction whose locks others wait for. Limits how long a node that was paused inside it keeps them.
 */
export const limitIdleTime = "set local idle_in_transaction_session_timeout = 3000";
