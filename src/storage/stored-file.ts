/** A file that was written whole, and the SHA-256 of its content in hexadecimal. */
export type StoredFile = { readonly path: string; readonly bytes: number; readonly sha256: string };
