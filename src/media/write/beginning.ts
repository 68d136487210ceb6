import type { VideoInfo } from '../info.ts';

/**
 * What a result takes off the times of its source, in seconds: it begins at zero when the source does, wherever the source's
 * clock stood then. A camera's may count from its start on.
 */
export const beginningOf = ({ mediaStart }: VideoInfo): number => Math.max(0, mediaStart);

/** ffmpeg's arguments for an input that is to begin this many seconds later. */
export const later = (seconds: number): string[] => ['-itsoffset', seconds.toFixed(6)];
