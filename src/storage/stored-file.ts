/** A file that was written whole, and the SHA-256 of its content in hexadecimal. */
export type StoredFile = { readonly path: string; readonly bytes: number; readonly sha256: string };

/** A file that the service keeps, known without it. `copy` writes it to a path that the request owns. */
export type KeptFile = Omit<StoredFile, 'path'> & { copy(): Promise<string> };
