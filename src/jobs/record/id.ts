/** Ids of jobs: they sort by time and cannot be guessed. */
import { randomBytes } from 'node:crypto';
import { base62 } from '../../text/base62.ts';

/** "job_" and 27 letters and digits: milliseconds, then 112 random bits. */
export const newJobId = (timeMs: number): string =>
  `job_${timePart(timeMs)}${base62(randomBytes(14))}`;

/** Sorts before every id made at or after that time. */
export const firstJobId = (timeMs: number): string => `job_${timePart(timeMs)}`;

/** Nine characters that sort as the times do. */
export const timePart = (timeMs: number): string => {
  const bytes = Buffer.alloc(6);
  bytes.writeUIntBE(timeMs, 0, bytes.length);
  return base62(bytes);
};
