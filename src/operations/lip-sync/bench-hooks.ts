import type { YuvPicture } from '../../frame.ts';
import type { Plan, TellingPictures } from '../../triton/clients/mouth-plan.ts';
import type { Heard } from '../../triton/clients/speech.ts';
import type { Rect } from './render/patch.ts';

/** What a bench observes of a lip sync, and may change in it; the service passes none. */
export type BenchHooks = {
  /** Whether the plan may learn from the clip's picture at this time, in seconds from the first. Absent: from all. */
  readonly learn?: (seconds: number) => boolean;
  /** Whether the new mouth is to lag its sound as much as the clip's own mouth does. Absent: no lag. */
  readonly keepLag?: boolean;
  /** Whether the mouth is to be rendered in the output frame at this time. Absent: in all. */
  readonly renders?: (seconds: number) => boolean;
  /** Called once, before rendering. Output frame i is at times[i], in seconds from the first, and its target at 8 * i. */
  readonly planned?: (
    plan: Plan & {
      readonly times: Float32Array;
      readonly heard: Heard;
      readonly pcm: Float32Array;
    },
  ) => void;
  /** Called once: the pictures that a clip's mouth is learnt from. */
  readonly told?: (pictures: TellingPictures) => void;
  /** Called for each output frame, in order. */
  readonly rendered?: (frame: {
    readonly index: number;
    /** In pixels of the full-size picture; null where the face is not seen, as are the patch and its mask. */
    readonly mesh: Float32Array | null;
    readonly rect: Rect | null;
    readonly mask: Buffer | null;
    readonly before: YuvPicture;
    readonly after: YuvPicture;
  }) => void;
};
