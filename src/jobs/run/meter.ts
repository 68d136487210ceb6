/** How far a job is, for its caller. Pure. */
import type { JobProgress } from '../../contract/job.ts';
import type { Progress } from '../../operations/progress.ts';

/** Frames after the first one that tell no pace: they were in flight with it, and end when it does. */
const TOGETHER = 1;
/** A pace over less time is that of a burst: several of the frames in flight may end at once. */
const LEAST_MS = 1000;

/** Turns an attempt's reports into percent and remaining time. The percentage never falls, and 100 is the end. */
export const createMeter = () => {
  let percent = 0;
  let first: { readonly done: number; readonly timeMs: number } | undefined;

  return ({ stage, framesDone, framesTotal, span }: Progress, nowMs: number): JobProgress => {
    if (framesTotal !== null && framesTotal > 0) {
      const [from, to] = span ?? [0, 1];
      const part = from + (to - from) * Math.min(1, framesDone / framesTotal);
      const reached = Math.floor(part * 990) / 10;
      percent = Math.max(percent, reached);
      // What comes before the first frame is no frame's time.
      if (stage === 'inference' && framesDone > 0) first ??= { done: framesDone, timeMs: nowMs };
    }
    return {
      stage,
      percent,
      frames_done: framesDone,
      frames_total: framesTotal,
      eta_seconds: framesTotal === null ? null : remaining(first, framesDone, framesTotal, nowMs),
    };
  };
};

const remaining = (
  first: { readonly done: number; readonly timeMs: number } | undefined,
  done: number,
  total: number,
  nowMs: number,
): number | null => {
  if (first === undefined || done - first.done <= TOGETHER) return null;
  const ms = nowMs - first.timeMs;
  if (ms < LEAST_MS) return null;
  const msPerFrame = ms / (done - first.done);
  return Math.ceil(((total - done) * msPerFrame) / 100) / 10;
};
