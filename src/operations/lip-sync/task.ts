/** What the steps of a lip sync pass to each other. */
import type { Config } from '../../config.ts';
import type { Warning } from '../../contract/job.ts';
import type { Size } from '../../frame.ts';
import type { AudioInfo, ImageInfo, VideoInfo } from '../../media/info.ts';
import type { EncodedPart } from '../../media/parts.ts';
import type { VideoFormat } from '../../media/write/encode.ts';
import type { Encoded } from '../../media/write/encoder.ts';
import type { SoundTrack } from '../../media/write/sound-graph.ts';
import type { CheckpointPlace } from '../../storage/checkpoints.ts';
import type { Box } from '../../triton/clients/face-track.ts';
import type { LipsyncModels } from '../../triton/clients/lipsync.ts';
import type { Style } from '../../triton/clients/style.ts';
import type { Report } from '../progress.ts';
import type { OnFrames, Share } from '../sharing.ts';
import type { BenchHooks } from './bench-hooks.ts';
import type { HeardSound } from './plan/hear.ts';
import type { LipsyncOptions } from './request.ts';

export type LipSyncTask = {
  readonly options: LipsyncOptions;
  readonly inputs: {
    /** The clip or portrait. */
    readonly media: string;
    /** The new sound. */
    readonly audio: string;
    /** Its samples as the models hear them, where the probe has written them: 16 kHz, mono, 32-bit little-endian floats. */
    readonly heard?: string | undefined;
  };
  /** What the probe of the request found in both. */
  readonly found: { readonly media: ImageInfo | VideoInfo; readonly audio: AudioInfo };
  readonly target: string;
  /** Where the job's checkpoints are. Without it nothing is left for a next attempt. */
  readonly work?: CheckpointPlace;
  readonly models: LipsyncModels;
  readonly config: Config;
  readonly report: Report;
  /** Absent: all chunks are done here. */
  readonly share?: Share;
  readonly signal: AbortSignal;
  readonly hooks?: BenchHooks;
};

export type TaskWithPlace = LipSyncTask & { readonly work: CheckpointPlace };

/** One chunk of a job whose attempt another worker has. */
export type LipSyncHelp = Omit<TaskWithPlace, 'target' | 'report' | 'share' | 'hooks'> & {
  readonly chunk: number;
  readonly onFrames: OnFrames;
};

/** The encoded video, and how it was made. */
export type LipSyncVideo = {
  /** Its pictures, which are still to be joined with `track`. */
  readonly parts: readonly EncodedPart[];
  readonly track: SoundTrack;
  readonly encoded: Encoded;
  readonly format: VideoFormat;
  readonly size: Size;
  readonly facesDetected: number;
  readonly framesPassedThrough: number;
  readonly warnings: readonly Warning[];
  /** The new sound, on the clock of the pictures. */
  readonly sound: HeardSound;
  /** The speaker's face in each frame; null where it is not seen and where the mouth is not to move. */
  readonly boxes: readonly (Box | null)[];
  readonly speaking: SpeakingFrames;
  /** How the speaker's face is made. */
  readonly style: Style;
  /** Whether a half-clear mark lies over it. */
  readonly marked?: boolean;
};

/** The frames in which the mouth is to move. */
export type SpeakingFrames = {
  readonly count: number;
  /** Index of the first one. */
  readonly first: number;
  /** When each frame of the output is shown, those too in which the mouth stays. */
  readonly times: readonly number[];
};

/** Where each step begins and ends in the progress of the whole work, 0..1. */
export const progressSpans = { tracking: [0, 0.35], rendering: [0.35, 0.95] } as const;

/** To be raised when a checkpoint's content changes its meaning. */
const CHECKPOINT_FORMAT = 2;

/** What checkpoints depend on besides the files of the job: where any of it differs, they are not used. */
export const checkpointOrigin = (
  { options, config }: Pick<LipSyncTask, 'options' | 'config'>,
  release: string,
): unknown => [
  ...[CHECKPOINT_FORMAT, release, options, config.lipsync.chunkSeconds, config.ffmpeg.preset],
];
