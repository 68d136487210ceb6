/** A file that is whole on this machine's disk. */
export type StoredFile = {
  readonly path: string;
  readonly bytes: number;
  /** Of its content, hexadecimal. */
  readonly sha256: string;
};
