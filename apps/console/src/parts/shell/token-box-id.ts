/** Any button with this as its `popoverTarget` opens the token box, wherever it stands. */
export const tokenBoxId = "token-box";
