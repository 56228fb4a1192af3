/** Encrypts secrets for the database. Only the deployment's key can decrypt them. */
export interface SecretBox {
  seal(text: string): Uint8Array;
  /** Throws if the bytes were encrypted with another key or changed. */
  open(sealed: Uint8Array): string;
}
