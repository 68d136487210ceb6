import type { YuvPicture } from '../../frame.ts';
import type { Plan } from '../../triton/clients/mouth-plan.ts';
import type { Heard } from '../../triton/clients/speech.ts';
import type { Rect } from './render/patch.ts';

/** What a bench sees of a lip sync, and may steer; the service passes none. */
export type Watch = {
  /** Whether the plan may learn from the clip's picture at this time, in seconds from the first; every one without it. */
  readonly learn?: (seconds: number) => boolean;
  /** Whether the new mouth is to be as late as the clip's own was; on time with the sound without it. */
  readonly keepLag?: boolean;
  /** Whether the mouth is to be rendered in the output's frame at this time; in every one without it. */
  readonly renders?: (seconds: number) => boolean;
  /** Once, before rendering. Frame i of the output is at times[i], from the first, and its target at 8 * i. */
  readonly planned?: (
    plan: Plan & {
      readonly times: Float32Array;
      readonly heard: Heard;
      readonly pcm: Float32Array;
    },
  ) => void;
  /** For each frame of the output, in order. */
  readonly rendered?: (frame: {
    readonly index: number;
    /** In pixels of the whole picture; null where the face is not seen, as are the patch and its mask. */
    readonly mesh: Float32Array | null;
    readonly rect: Rect | null;
    readonly mask: Buffer | null;
    readonly before: YuvPicture;
    readonly after: YuvPicture;
  }) => void;
};
