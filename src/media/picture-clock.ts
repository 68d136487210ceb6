import type { Ratio, VideoInfo } from './info.ts';
import { parseClock, parseShown } from './showinfo.ts';

/**
 * The times of decoded pictures. ffmpeg tells them on another pipe than the pictures themselves, so each side may be
 * ahead of the other. Times always rise: a picture without a time, or one that goes back, gets the next free tick.
 */
export class PictureClock {
  readonly #frameSeconds: number;
  readonly #tickSeconds: number;
  #unit: Ratio;
  #latest = Number.NEGATIVE_INFINITY;
  #ended = false;
  #wake = (): void => {};
  readonly #times: number[] = [];

  constructor({ timeBase, fps }: VideoInfo) {
    this.#unit = timeBase;
    this.#tickSeconds = timeBase.num / timeBase.den;
    this.#frameSeconds = 1 / fps;
  }

  /** Takes each line that ffmpeg writes, and null after the last. */
  readonly read = (line: string | null): void => {
    if (line === null) this.#ended = true;
    else this.#unit = parseClock(line) ?? this.#unit;
    const shown = line === null ? null : parseShown(line);
    if (shown) this.#times.push(this.#rising(shown.pts));
    if (shown || this.#ended) this.#wake();
  };

  /** The time of the next picture, in seconds. */
  async next(): Promise<number> {
    while (this.#times.length === 0) {
      if (this.#ended) throw new Error('ffmpeg gave a picture and did not tell its time');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#times.shift() ?? 0;
  }

  #rising(pts: number | null): number {
    const first = this.#latest === Number.NEGATIVE_INFINITY;
    const next = first ? 0 : this.#latest + this.#frameSeconds;
    const time = pts === null ? next : (pts * this.#unit.num) / this.#unit.den;
    this.#latest = time > this.#latest ? time : this.#latest + this.#tickSeconds;
    return this.#latest;
  }
}
