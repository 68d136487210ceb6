import { inOrder } from '../../async/in-order.ts';
import { together } from '../../async/together.ts';
import { type Picture, PORTRAIT_FPS, type Timed, within } from '../../frame.ts';
import { decodeStill } from '../../media/image/still.ts';
import type { ImageInfo } from '../../media/info.ts';
import type { VideoFormat } from '../../media/write/encode.ts';
import { openCheckpoints } from '../../storage/checkpoints.ts';
import { portraitModels } from '../../triton/clients/lipsync.ts';
import { SHAPE } from '../../triton/clients/mouth-plan.ts';
import { renderedBytes } from '../../triton/clients/mouth-render.ts';
import { MOTION } from '../../triton/clients/portrait-motion.ts';
import type { Style } from '../../triton/clients/style.ts';
import { lipsToBorder } from './faces/lips.ts';
import { findPortraitFace, type PortraitFace } from './faces/portrait-face.ts';
import { type HeardSound, hear } from './plan/hear.ts';
import { planHead } from './plan/plan-head.ts';
import { planMouth, planRequest } from './plan/plan-mouth.ts';
import { encodeOutput, type FinishedFrame, type OpenFrames } from './render/chunks.ts';
import { framesAtOnce } from './render/frames-at-once.ts';
import { insideOfStill } from './render/inside.ts';
import { openPatchMemory } from './render/patch.ts';
import { withPixels } from './render/rgb.ts';
import { measureStill } from './render/subject.ts';
import { wantedOf } from './render/wanted.ts';
import {
  checkpointOrigin,
  type LipSyncTask,
  type LipSyncVideo,
  type TaskWithPlace,
} from './task.ts';
import { grownFrom, mouthAtBorder, mouthCovered, shrunkFrom } from './warnings.ts';

/** A still as a video: its sRGB pixels are tagged BT.709, the colours of HDTV. */
const format: VideoFormat = {
  colour: { matrix: null, fullRange: false, primaries: 'bt709', transfer: 'bt709' },
  sampleAspect: { num: 1, den: 1 },
  timeBase: { num: 1, den: PORTRAIT_FPS },
  constantRate: true,
  fps: PORTRAIT_FPS,
};

/** A video as long as the sound: in each frame the mouth is rendered into the still, then the head is moved. */
export const lipSyncPortrait = async (
  task: TaskWithPlace,
  info: ImageInfo,
): Promise<LipSyncVideo> => {
  const { config, found, inputs, models, report, signal } = task;
  report({ stage: 'decoding', framesDone: 0, framesTotal: null });
  const still = await decodeStill(inputs.media, info, {
    most: config.limits.lipsync,
    ffmpeg: config.ffmpeg,
    signal,
  });
  const [sound, face] = await together(
    signal,
    (either) => hearNew(task, either),
    (either) => findPortraitFace(task, still, info.size, either),
  );
  const count = Math.max(1, Math.round(found.audio.durationSeconds * PORTRAIT_FPS));
  const times = Array.from({ length: count }, (_, i) => ({
    time: i / PORTRAIT_FPS,
    duration: 1 / PORTRAIT_FPS,
  }));
  const { open, style, covered } = await preparePortraitFrames(task, { still, face, sound, times });
  const origin = checkpointOrigin(task, models.version);
  const { parts, encoded, passedThrough } = await encodeOutput(task, {
    checkpoints: await openCheckpoints(task.work, origin),
    times,
    format,
    open,
  });
  const { width, height } = still;
  return {
    parts,
    track: { path: inputs.audio, info: found.audio, seconds: count / PORTRAIT_FPS },
    encoded,
    format,
    size: { width, height },
    sound,
    facesDetected: face.count,
    framesPassedThrough: passedThrough,
    warnings: [
      ...shrunkFrom(info.size, still),
      ...grownFrom(within(info.size, config.limits.lipsync)),
      ...mouthCovered(covered, style),
      ...mouthAtBorder(lipsToBorder(face.mesh, still)),
    ],
    boxes: Array.from({ length: count }, () => face.box),
    speaking: { count, first: 0, times: times.map(({ time }) => time) },
    style,
  };
};

const hearNew = (
  { config, found, inputs, models }: LipSyncTask,
  signal: AbortSignal,
): Promise<HeardSound> =>
  hear({
    path: inputs.audio,
    info: found.audio,
    samplesPath: inputs.heard,
    speech: models.speech,
    ffmpeg: config.ffmpeg,
    signal,
  });

type PortraitScene = {
  readonly still: Picture;
  readonly face: PortraitFace;
  readonly sound: HeardSound;
  /** Times of the output frames. */
  readonly times: readonly Pick<Timed, 'time' | 'duration'>[];
};

type PortraitFrames = {
  readonly open: OpenFrames;
  readonly style: Style;
  /** 0..1, of the lower face; 0 of a drawing, whose lips may have any colour. */
  readonly covered: number;
};

/** Plans mouth and head, measures the subject; returns what then renders the output from any frame on. */
const preparePortraitFrames = async (
  task: LipSyncTask,
  { still, face, sound, times: frames }: PortraitScene,
): Promise<PortraitFrames> => {
  const { models, options, signal, config } = task;
  const times = frames.map(({ time }) => time);
  const observed = { times: [0], mesh: async () => face.mesh };
  const sounds = { sound, own: null };
  const { targets } = await planMouth(task, await planRequest(task, { sounds, observed, times }));
  const motion = options.options.motion ? await planHead(task, still, sound, times) : null;

  const { headMotion } = portraitModels(models);
  const { head, edges } = await headMotion.look({ still, ...face }, signal);

  const { mouth, rect, covered } = await measureStill(task, { still, face });
  const { style } = mouth.about;
  const inside = await insideOfStill(mouth, models.mouthRender, signal);

  const [whole, patch] = [still.pixels.length, renderedBytes(rect, 'rgb')];
  const memories = openPatchMemory();
  const unchanged = Buffer.alloc(rect.width * rect.height);
  const draw = async (index: number) => {
    const memory = memories.take(2 * whole + patch);
    const [below, above] = [memory.subarray(0, whole), memory.subarray(whole, 2 * whole)];
    const target = targets.subarray(index * SHAPE, (index + 1) * SHAPE);
    // Of a portrait there is no other picture.
    const moment = { time: index / PORTRAIT_FPS, ...mouth, reference: mouth };
    const wanted = wantedOf(models.mouthRender.wants, sound.pcm, moment);
    const rendered = await models.mouthRender.render(
      mouth,
      { target, inside, edges, wanted, memory: memory.subarray(2 * whole) },
      signal,
    );
    const passedThrough = rendered.mask.equals(unchanged);
    const picture = withPixels(still, rect, rendered.pixels, below);
    const turn = motion?.subarray(index * MOTION, (index + 1) * MOTION);
    const portrait = turn && { picture, mesh: face.mesh, motion: turn, style, head };
    const moved = portrait ? await headMotion.move(portrait, above, signal) : picture;
    const timed = { index, time: index / PORTRAIT_FPS, duration: 1 / PORTRAIT_FPS };
    return { memory, frame: { ...moved, ...timed, passedThrough } };
  };
  // One more: no instance waits while a frame goes to the encoder.
  const inFlight = framesAtOnce(config, models.mouthRender) + 1;
  const open: OpenFrames = async function* (from): AsyncGenerator<FinishedFrame> {
    const drawn = inOrder([...frames.keys()].slice(from), inFlight, draw);
    for await (const { memory, frame } of drawn) {
      yield frame;
      memories.give(memory);
    }
  };
  return { open, style, covered: style === 'photo' ? covered : 0 };
};
