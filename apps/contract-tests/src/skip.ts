/** Thrown where this target cannot be tested; the message is the reason. */
export class Skip extends Error {}
