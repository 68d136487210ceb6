/** Which requests are the same work. Pure. */
import { createHash } from 'node:crypto';
import type { LipsyncOptions, Segment } from '../../operations/lip-sync/request.ts';
import {
  defaultFormat,
  type OutputFormat,
  type UpscaleOptions,
} from '../../operations/upscale/request.ts';

export type Fingerprinted = UpscaleWork | LipsyncWork;

type Common = {
  readonly account: string;
  /** Of the media's content. */
  readonly sha256: string;
  readonly mediaKind: 'image' | 'video';
  readonly modelVersion: string;
};
type UpscaleWork = Common & { readonly kind: 'upscale'; readonly options: UpscaleOptions };
type LipsyncWork = Common & {
  readonly kind: 'lipsync';
  readonly options: LipsyncOptions;
  readonly audioSha256: string;
};

/** Equal for equal work; what was left out counts as its default. 64 hexadecimal digits. */
export const fingerprint = (work: Fingerprinted): string => {
  const what = [
    ...[work.account, work.kind, work.sha256, work.mediaKind, work.modelVersion],
    ...(work.kind === 'upscale' ? upscaleOf(work) : lipsyncOf(work)),
  ];
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
};

/** `output_format` as it will be made. */
export const formatOf = ({
  options,
  mediaKind,
}: {
  readonly options: { readonly output_format?: OutputFormat | undefined };
  readonly mediaKind: 'image' | 'video';
}): OutputFormat => options.output_format ?? defaultFormat[mediaKind];

const upscaleOf = (work: UpscaleWork) => [
  ...[work.options.model, work.options.scale],
  ...outputOf(work),
];

const lipsyncOf = ({ audioSha256, mediaKind, options }: LipsyncWork) => {
  const { expressiveness, on_no_face, motion, style, background } = options.options;
  const common = [
    ...[audioSha256, options.model, options.output_format],
    ...[speakerOf(options.speaker), expressiveness, on_no_face, style],
  ];
  // A clip brings the motion of its own head; a portrait has no length, and no sound, of its own.
  return mediaKind === 'image'
    ? [...common, motion]
    : [
        ...[...common, options.sync_mode, options.segments?.map(segmentOf)],
        background.mode === 'mix' && background.volume,
      ];
};

const segmentOf = ({ start, end, audio }: Segment) => [
  ...[start, end],
  audio && [audio.start, audio.end],
];

const speakerOf = (speaker: LipsyncOptions['speaker']) => {
  if ('boxes' in speaker) return speaker.boxes;
  return 'frame' in speaker ? [speaker.frame, speaker.x, speaker.y] : speaker.mode;
};

const outputOf = (work: UpscaleWork) => {
  const {
    quality = null,
    lossless = false,
    metadata = 'strip',
    background,
  } = work.options.output ?? {};
  return [formatOf(work), quality, lossless, metadata, (background ?? '#ffffff').toLowerCase()];
};
