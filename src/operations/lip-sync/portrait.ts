import { crc32 } from 'node:zlib';
import { inOrder } from '../../async/in-order.ts';
import { together } from '../../async/together.ts';
import { Failure } from '../../errors.ts';
import { type Picture, PORTRAIT_FPS, type Size, type Timed, within } from '../../frame.ts';
import { HEARD_RATE } from '../../media/heard.ts';
import { decodeStill, shrink } from '../../media/image/still.ts';
import type { AudioInfo } from '../../media/info.ts';
import { probeImage } from '../../media/probe/probe.ts';
import type { VideoFormat } from '../../media/write/encode.ts';
import { openKept } from '../../storage/checkpoints.ts';
import type { Box } from '../../triton/clients/face-track.ts';
import type { PortraitModels } from '../../triton/clients/lipsync.ts';
import { SHAPE } from '../../triton/clients/mouth-plan.ts';
import { MOTION } from '../../triton/clients/portrait-motion.ts';
import { STEP_SECONDS } from '../../triton/clients/speech.ts';
import { chooseFace, countFaces } from './faces/choose-face.ts';
import { styleOf } from './faces/flatness.ts';
import { openingOf } from './faces/lips.ts';
import { hintIn, pointIn, scaledBox, zoomed } from './faces/track.ts';
import { hear, type Listened } from './plan/hear.ts';
import { planMouth } from './plan/plan-mouth.ts';
import { encodeShots, type Finished } from './render/chunks.ts';
import { meshIn, patchOf } from './render/patch.ts';
import { cutRgb, pasteRgb, STILL_CODING } from './render/patch-colours.ts';
import {
  checkVisible,
  grownFrom,
  type LipSyncTask,
  LOOK_SIDE,
  type Made,
  originOf,
  SMALLEST_FACE,
  shrunkFrom,
  type Working,
} from './task.ts';

/** What a still says of its colours as a video: sRGB is shown as HDTV is. */
const look: VideoFormat = {
  colour: { matrix: null, fullRange: false, primaries: 'bt709', transfer: 'bt709' },
  sampleAspect: { num: 1, den: 1 },
  timeBase: { num: 1, den: PORTRAIT_FPS },
  constantRate: true,
  fps: PORTRAIT_FPS,
};

type Task = LipSyncTask & Working;

/** A video as long as the sound: for each frame the mouth is rendered on the still, then the head is moved. */
export const lipSyncPortrait = async (task: Task, sound: AudioInfo): Promise<Made> => {
  const { config, inputs, models, report, signal } = task;
  report({ stage: 'decoding', framesDone: 0, framesTotal: null });
  const info = await probeImage(inputs.media);
  const still = await decodeStill(inputs.media, info, config.limits.lipsync);
  const [heard, face] = await together(
    signal,
    (either) => hear(inputs.audio, sound, models.speech, config.ffmpeg, either),
    (either) => findFace(task, still, info.size, either),
  );
  const framesTotal = Math.max(1, Math.round(sound.durationSeconds * PORTRAIT_FPS));
  const shots = Array.from({ length: framesTotal }, (_, i) => ({
    time: i / PORTRAIT_FPS,
    duration: 1 / PORTRAIT_FPS,
  }));
  const open = await drawFrames(task, still, face, heard, shots);
  const kept = await openKept(task.work, originOf(task, models.version));
  const track = { path: inputs.audio, info: sound, seconds: framesTotal / PORTRAIT_FPS };
  const { encoded, passed } = await encodeShots(task, kept, shots, look, track, open);
  const { width, height } = still;
  return {
    ...{ encoded, size: { width, height }, sound: heard, facesDetected: face.count },
    framesPassedThrough: passed,
    warnings: [
      ...shrunkFrom(info.size, still),
      ...grownFrom(within(info.size, config.limits.lipsync)),
    ],
    boxes: Array.from({ length: framesTotal }, () => face.box),
    spoken: { frames: framesTotal, first: 0, firstSeconds: 0 },
  };
};

type Found = {
  readonly mesh: Float32Array;
  readonly box: Box;
  readonly count: number;
};

/** The face that speaks, in pixels of the still; the caller names it in pixels of the picture that was sent. */
const findFace = async (
  { models, options }: LipSyncTask,
  still: Picture,
  sent: Size,
  signal: AbortSignal,
): Promise<Found> => {
  const { speaker } = options;
  checkVisible(still);
  const small = await shrink(still, LOOK_SIDE);
  const zoom = { x: still.width / small.width, y: still.height / small.height };
  const fromSmall = { x: sent.width / small.width, y: sent.height / small.height };
  const hints = 'boxes' in speaker ? hintIn(small, speaker.boxes[0], fromSmall) : [];
  if ('frame' in speaker && speaker.frame === 0) hints.push(pointIn(speaker, fromSmall));
  const first = { pictures: [small], state: new Float32Array(), hints: [hints] };
  const { faces } = await models.faceTrack.track(first, signal);
  const seen = (faces[0] ?? []).map((face, at) => ({
    ...face,
    opening: openingOf(face.mesh),
    box: scaledBox(face.box, fromSmall.x, fromSmall.y),
    mesh: at,
  }));
  const count = countFaces([seen]);
  if (count === 0) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const [chosen] = chooseFace([seen], speaker);
  const face = chosen && faces[0]?.[chosen.mesh];
  if (!face) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const box = scaledBox(face.box, zoom.x, zoom.y);
  return { mesh: zoomed(face.mesh, zoom), box, count };
};

/** What rendering needs, and then the frames from any one on. */
const drawFrames = async (
  task: LipSyncTask,
  still: Picture,
  face: Found,
  sound: Listened,
  shots: readonly Pick<Timed, 'time' | 'duration'>[],
) => {
  const { models, options, signal, config } = task;
  const times = shots.map(({ time }) => time);
  const known = { times: [0], mesh: async () => face.mesh };
  const { targets } = await planMouth(task, { sound, own: null }, known, times);
  const motion = options.options.motion ? await moveHead(task, still, sound, times) : null;

  const rect = patchOf(face.mesh, still, models.mouthRender);
  if (!rect) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const patch = cutRgb(still, rect, STILL_CODING);
  const mesh = meshIn(face.mesh, rect);
  const about = { coding: STILL_CODING, style: styleOf(options, still, face.box) };
  const subject = await models.mouthRender.subject({ patch, mesh, about }, signal);

  const draw = async (index: number): Promise<Finished> => {
    const target = targets.subarray(index * SHAPE, (index + 1) * SHAPE);
    const mouth = { patch, mesh, about: { ...about, subject } };
    const rendered = await models.mouthRender.render(mouth, target, signal);
    const passed = !rendered.mask.some((share) => share > 0);
    const spoken = pasteRgb(still, rect, patch, rendered, STILL_CODING);
    const turn = motion?.subarray(index * MOTION, (index + 1) * MOTION);
    const moved = turn
      ? await motionOf(task).headMotion.move(spoken, face.mesh, turn, signal)
      : spoken;
    return { ...moved, index, time: index / PORTRAIT_FPS, duration: 1 / PORTRAIT_FPS, passed };
  };
  return (from: number): AsyncGenerator<Finished> =>
    inOrder([...shots.keys()].slice(from), config.triton.framesInFlight, draw);
};

/** The head goes along with what is said; one picture always moves alike. */
const moveHead = (
  task: LipSyncTask,
  still: Picture,
  { heard, pcm }: Listened,
  times: readonly number[],
): Promise<Float32Array> => {
  const loudness = times.map((time) => {
    const at = Math.round(time * HEARD_RATE);
    const around = pcm.subarray(Math.max(0, at - LOUD), at + LOUD);
    return Math.sqrt(around.reduce((sum, sample) => sum + sample * sample, 0) / LOUD / 2);
  });
  const loudest = Math.max(1e-6, ...loudness);
  const level = times.map((time, i) => {
    const active = heard.activity[Math.round(time / STEP_SECONDS)] ?? 0;
    return (active * (loudness[i] ?? 0)) / loudest;
  });
  const seed = crc32(still.pixels) & 0x7fffffff;
  return motionOf(task).portraitMotion.motion(
    Float32Array.from(times),
    Float32Array.from(level),
    seed,
    task.signal,
  );
};

const motionOf = ({ models }: LipSyncTask): PortraitModels => {
  if (!models.motion) throw new Error('the models of a clip were opened for a portrait');
  return models.motion;
};

/** Half of the window, in samples, in which it is measured how loud a moment is. */
const LOUD = HEARD_RATE / 20;
