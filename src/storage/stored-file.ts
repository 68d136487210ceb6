export type StoredFile = {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
};
