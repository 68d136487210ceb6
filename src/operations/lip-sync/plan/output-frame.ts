/** One picture of the output. The first begins at 0, and each where the one before it ends. */
export type OutputFrame = {
  /** Index of the clip's picture that it shows. */
  readonly source: number;
  readonly time: number;
  readonly duration: number;
  /** Whether the mouth follows the sound; otherwise the picture is left as it was. */
  readonly moves: boolean;
  /** Whether another shot of the clip begins with it. Absent: no. */
  readonly cut?: boolean;
  /** How much of the new mouth is seen, 0..1: less than 1 near the edges of a segment. Absent: 1. */
  readonly opacity?: number;
  /** Where the clip has begun again: its last picture, which fades out over this one, and its share of what is seen. */
  readonly crossfade?: { readonly source: number; readonly share: number };
};
