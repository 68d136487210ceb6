import { z } from 'zod';
import { JobInput, resultShape } from '../../contract/job.ts';
import { SourceUrl, VideoFormat } from '../../contract/media.ts';

export const LipsyncModel = z.enum(['fast', 'balanced', 'studio']).meta({ id: 'LipsyncModel' });
export type LipsyncModel = z.infer<typeof LipsyncModel>;

/** What happens when clip and sound differ in length. */
export const SyncMode = z
  .enum(['cut_off', 'loop', 'bounce', 'silence', 'remap'])
  .meta({ id: 'SyncMode' });
export type SyncMode = z.infer<typeof SyncMode>;

const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]);

const pointed = [
  z
    .strictObject({ mode: z.literal('auto') })
    .describe('the person who talks in the video, else the largest and steadiest face')
    .meta({ title: 'SpeakerAuto' }),
  z
    .strictObject({ frame: z.int().min(0), x: z.number().min(0), y: z.number().min(0) })
    .describe('the face at this point')
    .meta({ title: 'SpeakerPoint' }),
] as const;

/** Whose mouth moves. Coordinates are pixels of the picture as shown; frames count from 0. */
export const Speaker = z
  .union(
    [
      ...pointed,
      z
        .strictObject({ boxes: z.array(Box.nullable()).min(1).max(36_000) })
        .describe('the face in [x1, y1, x2, y2] of each frame, null where it is not visible')
        .meta({ title: 'SpeakerBoxes' }),
    ],
    'Expected {mode: "auto"}, {frame, x, y} or {boxes: [[x1, y1, x2, y2] or null, ...]}',
  )
  .meta({ id: 'Speaker' });
export type Speaker = z.infer<typeof Speaker>;

const seconds = z.number().min(0).max(86_400);

/** A span of the clip, and the part of the sound that the mouth follows there. All in seconds. */
export const Segment = z
  .strictObject({
    start: seconds,
    end: seconds,
    audio: z
      .strictObject({
        start: seconds.default(0),
        end: seconds.optional().describe('default: the end of the sound'),
      })
      .nullable()
      .describe(
        'part of the sound: a longer one is cut, after a shorter one the mouth rests; null leaves the video unchanged',
      ),
  })
  .meta({ id: 'Segment' });
export type Segment = z.infer<typeof Segment>;

/** What becomes of the clip's own sound. */
const Background = z.strictObject({
  mode: z
    .enum(['drop', 'mix'])
    .default('drop')
    .describe('drop: it is removed; mix: it is mixed with the new sound'),
  volume: z
    .number()
    .min(0)
    .max(1)
    .default(0.3)
    .describe("of the video's own sound when it is mixed"),
});

export const LipsyncTuning = z
  .strictObject({
    expressiveness: z
      .number()
      .min(0)
      .max(1)
      .default(0.5)
      .describe(
        "scales the movement of the mouth: 0.5 is the person's own range, 0 half of it, 1 one and a half times",
      ),
    on_no_face: z
      .enum(['passthrough', 'fail'])
      .default('passthrough')
      .describe('frames without the face: they stay unchanged, or the job fails'),
    motion: z
      .boolean()
      .default(true)
      .describe('small motion of the head and blinks; portraits only'),
    style: z
      .enum(['auto', 'photo', 'flat'])
      .default('auto')
      .describe('flat: a drawing; auto: detected'),
    background: Background.prefault({}).describe("the clip's own sound"),
  })
  .meta({ id: 'LipsyncTuning' });

const options = {
  model: LipsyncModel,
  output_format: VideoFormat.default('mp4').describe('H.264 and AAC'),
  sync_mode: SyncMode.default('cut_off').describe(
    'when video and sound differ in length: `cut_off` ends with the shorter, `loop` and `bounce` repeat the video, `silence` keeps both whole, `remap` changes the speed of the video',
  ),
  speaker: Speaker.default({ mode: 'auto' }),
  segments: z
    .array(Segment)
    .min(1)
    .max(100)
    .optional()
    .describe(
      'spans in which the mouth follows the sound, in ascending order; elsewhere the video stays unchanged',
    )
    .meta({ examples: [[{ start: 2, end: 4.5, audio: { start: 0, end: 2.5 } }]] }),
  options: LipsyncTuning.prefault({}),
};

/** What the work depends on, apart from the media itself; what a request left out is its default. */
export const LipsyncOptions = z.strictObject(options).meta({ id: 'LipsyncOptions' });
export type LipsyncOptions = z.infer<typeof LipsyncOptions>;

/** The same as a job shows it: of boxes, which may be thousands, only how many there are. */
export const LipsyncJobOptions = z
  .strictObject({
    ...options,
    speaker: z.union([
      ...pointed,
      z
        .strictObject({ boxes: z.int().min(1).describe('the number of boxes') })
        .meta({ title: 'SpeakerBoxes' }),
    ]),
  })
  .meta({ id: 'LipsyncJobOptions' });
export type LipsyncJobOptions = z.infer<typeof LipsyncJobOptions>;

/** The JSON body. That each source came once is checked where the body is read, with the file parts. */
export const LipsyncRequest = z
  .strictObject({
    ...options,
    video_url: SourceUrl.optional().describe(
      'clip with a face, or a portrait: MP4, MOV, WebM, JPEG, PNG and more',
    ),
    image_url: SourceUrl.optional().describe(
      'the same as video_url: the content decides whether it is a clip or a portrait',
    ),
    audio_url: SourceUrl.optional().describe(
      'the speech that the mouth will follow: MP3, WAV, M4A, FLAC and more',
    ),
  })
  .meta({ id: 'LipsyncRequest' });
export type LipsyncRequest = z.infer<typeof LipsyncRequest>;

/** The clip or portrait, and what it is to say. */
export const LipsyncInput = z
  .strictObject({
    ...JobInput.shape,
    own_sound: z.boolean().optional().describe('whether the clip has a sound of its own'),
    audio: z.strictObject({
      bytes: z.int(),
      sha256: z.string(),
      content_type: z.string(),
      duration_seconds: z.number(),
      sample_rate: z.int(),
      channels: z.int(),
    }),
  })
  .meta({ id: 'LipsyncInput' });
export type LipsyncInput = z.infer<typeof LipsyncInput>;

/** How well the mouth of the finished file goes with its sound. */
export const Sync = z
  .strictObject({
    correlation: z.number().nullable().describe('of mouth and sound; null without speech'),
    lag_ms: z
      .number()
      .nullable()
      .describe(
        'how much later than the sound the mouth moves, negative when it is earlier; null without speech',
      ),
  })
  .meta({ id: 'Sync' });
export type Sync = z.infer<typeof Sync>;

/** What a lip sync says about its result besides what every operation says. */
export const lipsyncOutcome = {
  duration_seconds: z.number(),
  frames: z.int().min(0),
  fps: z.number(),
  faces_detected: z.int().min(1),
  frames_passed_through: z.int().min(0).describe('frames without the face, left unchanged'),
  sync: Sync,
};

export const LipsyncResult = z
  .strictObject({ ...resultShape, model_used: LipsyncModel, ...lipsyncOutcome })
  .meta({ id: 'LipsyncResult' });
export type LipsyncResult = z.infer<typeof LipsyncResult>;
