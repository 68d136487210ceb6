import type { Stage } from '../contract/job.ts';

/** How far a job is. Units are frames of a video or bands of a picture; null while the total is unknown. */
export type Progress = {
  readonly stage: Stage;
  readonly framesDone: number;
  readonly framesTotal: number | null;
  /** Which part of the whole work these frames are, 0..1, where they are gone through more than once. */
  readonly span?: readonly [from: number, to: number];
};

export type Report = (progress: Progress) => void;
