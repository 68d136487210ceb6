import type { Warning } from '../../contract/job.ts';
import type { Size } from '../../frame.ts';
import type { SyncMeasure } from './check/sync.ts';

/** What the worker records of a finished lip sync besides the bytes of its file. */
export type LipSyncOutcome = {
  readonly outputSize: Size;
  readonly contentType: string;
  readonly frames: number;
  readonly durationSeconds: number;
  readonly fps: number;
  readonly lipsync: {
    /** Different people seen in the clip. */
    readonly facesDetected: number;
    readonly framesPassedThrough: number;
    /** Measured on the finished file; null where it could not be. */
    readonly sync: SyncMeasure | null;
    readonly warnings: readonly Warning[];
  };
};
