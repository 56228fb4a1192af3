/** Keeps secrets unreadable in the store; a sealed text says nothing without the deployment's key. */
export interface SecretBox {
  seal(text: string): Uint8Array;
  /** Throws when the bytes were sealed with another key or were changed. */
  open(sealed: Uint8Array): string;
}
