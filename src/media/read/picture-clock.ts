import type { Ratio, VideoInfo } from '../info.ts';

/** Filters that print each picture's time to descriptor 3. The file's own metadata of pictures is deleted before. */
export const printTimes = ({ timeBase: { num, den } }: VideoInfo): string[] => [
  `settb=${num}/${den}`,
  'metadata=delete',
  'metadata=add:key=t:value=1',
  "metadata=print:key=t:file='pipe\\:3':direct=1",
];

/** "frame:2    pts:1024    pts_time:0.08", then a line for what was asked to be printed. */
const TIME = /^frame:\d+ +pts:(-?\d+|NOPTS) /;

/**
 * The times of decoded pictures. ffmpeg writes them to another pipe than the pictures themselves, so each side may be
 * ahead of the other. Times always rise: a picture without a time comes one mean frame after the one before it, and one
 * that goes back comes one tick after it.
 */
export class PictureClock {
  readonly #frameSeconds: number;
  readonly #tick: Ratio;
  #latest = Number.NEGATIVE_INFINITY;
  #ended = false;
  #wake = (): void => {};
  readonly #times: number[] = [];

  constructor({ timeBase, fps }: Pick<VideoInfo, 'timeBase' | 'fps'>) {
    this.#tick = timeBase;
    this.#frameSeconds = 1 / fps;
  }

  /** Takes each line that ffmpeg writes there, and null after the last. */
  readonly read = (line: string | null): void => {
    if (line === null) this.#ended = true;
    const pts = line === null ? undefined : TIME.exec(line)?.[1];
    if (pts !== undefined) this.#times.push(this.#rising(pts === 'NOPTS' ? null : Number(pts)));
    if (pts !== undefined || this.#ended) this.#wake();
  };

  /** The time of the next picture, in seconds; null when the child has ended without printing it. */
  async next(): Promise<number | null> {
    while (this.#times.length === 0) {
      if (this.#ended) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#times.shift() ?? null;
  }

  #rising(pts: number | null): number {
    const first = this.#latest === Number.NEGATIVE_INFINITY;
    const next = first ? 0 : this.#latest + this.#frameSeconds;
    const { num, den } = this.#tick;
    const time = pts === null ? next : (pts * num) / den;
    this.#latest = time > this.#latest ? time : this.#latest + num / den;
    return this.#latest;
  }
}
