import { z } from 'zod';
import { JobInput, resultShape } from '../../contract/job.ts';
import { SourceUrl } from '../../contract/media.ts';

export const LipsyncModel = z.enum(['fast', 'balanced', 'studio']).meta({ id: 'LipsyncModel' });
export type LipsyncModel = z.infer<typeof LipsyncModel>;

/** What happens when clip and sound differ in length. */
export const SyncMode = z.enum(['cut_off', 'loop', 'bounce', 'silence', 'remap']);
export type SyncMode = z.infer<typeof SyncMode>;

const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]);

const pointed = [
  z
    .strictObject({ mode: z.literal('auto') })
    .describe('who talks in the clip, else the largest, steadiest face'),
  z
    .strictObject({ frame: z.int().min(0), x: z.number().min(0), y: z.number().min(0) })
    .describe('the face at this point'),
] as const;

/** Whose mouth moves. Coordinates are pixels of the picture as shown; frames count from 0. */
export const Speaker = z
  .union(
    [
      ...pointed,
      z
        .strictObject({ boxes: z.array(Box.nullable()).min(1).max(36_000) })
        .describe('the face in [x1, y1, x2, y2] of each frame, null where it is not to be seen'),
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
        end: seconds.optional().describe('of the sound, unless it is said'),
      })
      .nullable()
      .describe(
        'a longer part is cut, after a shorter one the mouth rests; null leaves the clip as it is',
      ),
  })
  .meta({ id: 'Segment' });
export type Segment = z.infer<typeof Segment>;

/** What becomes of the clip's own sound. */
const Background = z.strictObject({
  mode: z.enum(['drop', 'mix']).default('drop').describe('mix: it is heard under the new one'),
  volume: z.number().min(0).max(1).default(0.3).describe('of the own sound, where it is mixed'),
});

const tuning = z.strictObject({
  expressiveness: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('how far the mouth moves; 0.5 is as measured'),
  on_no_face: z
    .enum(['passthrough', 'fail'])
    .default('passthrough')
    .describe('what a frame without the face means'),
  motion: z.boolean().default(true).describe('small motion of the head and blinks; portraits only'),
  style: z.enum(['auto', 'photo', 'flat']).default('auto').describe('flat is a drawing'),
  background: Background.prefault({}).describe("the clip's own sound"),
});

const options = {
  model: LipsyncModel,
  output_format: z.literal('mp4').default('mp4').describe('H.264 and AAC'),
  sync_mode: SyncMode.default('cut_off').describe('when clip and sound differ in length'),
  speaker: Speaker.default({ mode: 'auto' }),
  segments: z
    .array(Segment)
    .min(1)
    .max(100)
    .optional()
    .describe('where the clip is to speak, in ascending order; elsewhere it stays as it is'),
  options: tuning.prefault({}),
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
      z.strictObject({ boxes: z.int().min(1).describe('how many were given') }),
    ]),
  })
  .meta({ id: 'LipsyncJobOptions' });
export type LipsyncJobOptions = z.infer<typeof LipsyncJobOptions>;

/** The JSON body. That each source came once is checked where the body is read, with the file parts. */
export const LipsyncRequest = z
  .strictObject({
    ...options,
    video_url: SourceUrl.optional().describe('clip with a face, or a portrait'),
    audio_url: SourceUrl.optional().describe('what the face is to say'),
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
    correlation: z.number().nullable().describe('of mouth and sound; null where nothing is said'),
    lag_ms: z.number().nullable().describe('how much later the mouth moves; null likewise'),
  })
  .meta({ id: 'Sync' });
export type Sync = z.infer<typeof Sync>;

/** What a lip sync tells of its result besides what every operation tells. */
export const lipsyncOutcome = {
  duration_seconds: z.number(),
  frames: z.int().min(0),
  fps: z.number(),
  faces_detected: z.int().min(1),
  frames_passed_through: z.int().min(0).describe('left as they were, without the face'),
  sync: Sync,
};

export const LipsyncResult = z
  .strictObject({ ...resultShape, model_used: LipsyncModel, ...lipsyncOutcome })
  .meta({ id: 'LipsyncResult' });
export type LipsyncResult = z.infer<typeof LipsyncResult>;
