/** How long a job waits for what is not there: a model, the storage, or room in it. Pure. */
import type { JobRecord } from '../record/record.ts';

type Bounds = {
  /** Before the first look whether it is back. No wait is longer than ten times this. */
  readonly unavailableMs: number;
  /** After this long without one an outage is another one. */
  readonly longestMs: number;
};

/**
 * Since when what the job needs has been away, and how long to wait now. That counts as no attempt, but may not go on for
 * ever: a job that works for minutes and then finds a model away, again and again, has one outage. Half of the time that it
 * has lasted: so a job stands still for at most half as long again when it is over.
 */
export const outage = (
  { away_since, away_at }: Pick<JobRecord, 'away_since' | 'away_at'>,
  now: number,
  { unavailableMs, longestMs }: Bounds,
): { readonly since: number; readonly delayMs: number } => {
  const goesOn = away_since !== null && away_at !== null && now - away_at < longestMs;
  const since = goesOn ? away_since : now;
  const delayMs = Math.min(Math.max((now - since) / 2, unavailableMs), 10 * unavailableMs);
  return { since, delayMs: Math.floor(delayMs) };
};
