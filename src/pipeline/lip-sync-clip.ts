import { Failure } from '../errors.ts';
import { evened, type Frame, type YuvFrame } from '../frame.ts';
import { decodeYuv } from '../media/decode.ts';
import { decodeOwnAudio } from '../media/decode-audio.ts';
import { encodeClip } from '../media/encode.ts';
import type { AudioInfo, VideoInfo } from '../media/info.ts';
import { probeVideo } from '../media/probe.ts';
import type { Plan } from '../triton/models/mouth-plan.ts';
import type { Rendering } from '../triton/models/mouth-render.ts';
import { chooseFace, countFaces } from './choose-face.ts';
import { codingOf } from './coding.ts';
import { styleOf } from './flatness.ts';
import { hear, listen } from './hear.ts';
import { borrow } from './lenders.ts';
import {
  grownFrom,
  type LipSyncTask,
  LOOK_SIDE,
  type Made,
  SMALLEST_FACE,
  spans,
  told,
} from './lip-sync-task.ts';
import { type MeshFile, openMeshFile } from './mesh-file.ts';
import { cut, meshIn, patchOf } from './patch.ts';
import { planMouth, type Sounds } from './plan-mouth.ts';
import { type Passed, renderMouths } from './render-mouths.ts';
import { take } from './take.ts';
import { together } from './together.ts';
import { type Footage, openFrames, type Sighting, trackFaces } from './track.ts';

/** Of a clip that is much longer than its new sound, so much is looked at to learn how the mouth moves. */
const LEARN_SECONDS = 20;
type Clip = {
  readonly path: string;
  readonly info: VideoInfo;
  readonly sound: AudioInfo;
};

/** Twice through the clip: first small, to follow the face and to plan the mouth; then as it is, to render and encode. */
export const lipSyncClip = async (task: LipSyncTask, sound: AudioInfo): Promise<Made> => {
  const { config, inputs, signal, target } = task;
  const path = inputs.media;
  const info = await probeVideo(path, config.ffmpeg, config.limits.lipsync, signal);
  const clip: Clip = { path, info, sound };
  const meshes = await openMeshFile(`${target}.meshes`);
  try {
    const [heard, footage] = await together(
      signal,
      (either) => listenToBoth(task, clip, either),
      (either) => look(task, clip, meshes, either),
    );
    return await make(task, clip, heard, footage, meshes);
  } finally {
    await meshes.close();
  }
};

/** The new sound, and the clip's own on the clock of its pictures. */
const listenToBoth = async (
  { config, inputs, models }: LipSyncTask,
  { path, info, sound }: Clip,
  signal: AbortSignal,
): Promise<Sounds> => {
  const heard = await hear(inputs.audio, sound, models.speech, config.ffmpeg, signal);
  const own = await decodeOwnAudio(path, info, info.startSeconds, config.ffmpeg, signal);
  return { sound: heard, own: own.length > 0 ? await listen(own, models.speech, signal) : null };
};

const look = async (
  { config, models, options, report }: LipSyncTask,
  { path, info, sound }: Clip,
  meshes: MeshFile,
  signal: AbortSignal,
): Promise<Footage> => {
  const { speaker } = options;
  const seconds = Math.max(sound.durationSeconds, LEARN_SECONDS);
  const shown = 'frame' in speaker ? speaker.frame : 0;
  const framesTotal = Math.ceil(info.frames * Math.min(1, seconds / info.durationSeconds));
  const tell = (framesDone: number) =>
    report({
      ...{ stage: 'decoding', framesDone, span: spans.looking },
      framesTotal: Math.max(framesTotal, framesDone),
    });
  tell(0);
  const frames = openFrames(path, info, LOOK_SIDE, config.ffmpeg, signal, (all) =>
    upTo(all, seconds, shown),
  );
  const clip = { size: info.size, boxes: 'boxes' in speaker ? speaker.boxes : [] };
  return trackFaces(frames, clip, models.faceTrack, meshes, tell, signal);
};

/** The frames that begin within so many seconds of the first, and those as far as frame `least`. */
async function* upTo(frames: AsyncIterable<Frame>, seconds: number, least: number) {
  let start: number | undefined;
  for await (const frame of frames) {
    start ??= frame.time;
    if (frame.time - start >= seconds && frame.index > least) return;
    yield frame;
  }
}

const make = async (
  task: LipSyncTask,
  clip: Clip,
  sounds: Sounds,
  footage: Footage,
  meshes: MeshFile,
): Promise<Made> => {
  const { config, models, options, report, signal, target, watch } = task;
  const { info, sound, path } = clip;
  const facesDetected = countFaces(footage.sightings);
  if (facesDetected === 0) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const framesTotal = countFrames(footage.times, sound.durationSeconds);
  const chosen = chooseFace(footage.sightings, options.speaker, framesTotal);
  checkSeen(chosen.slice(0, framesTotal), options.options.on_no_face);

  const known = {
    times: footage.times.slice(0, -1),
    mesh: async (at: number) => (chosen[at] ? meshes.read(chosen[at].mesh) : null),
  };
  const outputTimes = known.times.slice(0, framesTotal);
  const plan = await planMouth(task, sounds, known, outputTimes, [...outputTimes.keys()]);
  const about = await measureSubject(task, clip, footage, chosen, meshes, plan);
  const pictures = async function* (places: readonly number[]) {
    for (const place of places)
      yield await pictureAt(path, info, footage.times, place, config.ffmpeg, signal);
  };
  const { lending } = plan;
  const lenders = await borrow(
    { lending, pictures, meshOf: known.mesh, about },
    models.mouthRender,
    signal,
  );
  const passed: Passed = { frames: 0 };
  const spare: ArrayBufferLike[] = [];
  const frames = renderMouths(
    take(decodeYuv(path, info, config.ffmpeg, signal, 0, { block: 1, spare }), framesTotal),
    { chosen, meshes, targets: plan.targets, about, lenders, passed },
    { render: models.mouthRender, inFlight: config.triton.framesInFlight, signal, watch, spare },
  );
  const seconds = footage.times[framesTotal] ?? 0;
  const encoded = await encodeClip(
    told(frames, framesTotal, report),
    info,
    { path: task.inputs.audio, info: sound, seconds },
    target,
    config.ffmpeg,
    signal,
  );
  return {
    ...{ encoded, facesDetected, size: evened(info.size), sound: sounds.sound },
    framesPassedThrough: passed.frames,
    warnings: grownFrom(info.size),
    boxes: chosen.slice(0, framesTotal).map((face) => face?.box ?? null),
  };
};

/** How many frames the output has: those of which the greater part is shown before the sound ends. */
export const countFrames = (times: readonly number[], seconds: number): number => {
  const middles = times.slice(0, -1).map((time, i) => (time + (times[i + 1] ?? time)) / 2);
  return Math.max(1, middles.filter((middle) => middle < seconds).length);
};

const checkSeen = (chosen: readonly (Sighting | null)[], onNoFace: 'passthrough' | 'fail') => {
  const smallest = SMALLEST_FACE;
  if (chosen.every((face) => face === null)) throw new Failure('no_face_detected', { smallest });
  const frame = chosen.indexOf(null);
  if (onNoFace === 'fail' && frame >= 0) throw new Failure('no_face_detected', { smallest, frame });
};

/** What belongs to the subject, measured on the picture that shows it best. */
const measureSubject = async (
  task: LipSyncTask,
  { path, info }: Clip,
  { times }: Footage,
  chosen: readonly (Sighting | null)[],
  meshes: MeshFile,
  { references }: Plan,
): Promise<Rendering> => {
  const { models, options, config, signal } = task;
  const best = references.find((at) => chosen[at]) ?? chosen.findIndex((face) => face !== null);
  const face = chosen[best];
  if (!face) throw new Error('a face was chosen and is in no frame');
  const picture = await pictureAt(path, info, times, best, config.ffmpeg, signal);
  const mesh = await meshes.read(face.mesh);
  const rect = patchOf(mesh, picture, models.mouthRender);
  if (!rect) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const about = { coding: codingOf(info.colour), style: styleOf(options, picture, face.box) };
  const patch = cut(picture, rect);
  return {
    ...about,
    subject: await models.mouthRender.subject(patch, meshIn(mesh, rect), about, signal),
  };
};

/** One picture of the clip. Where a container's seeking misses it, all before it are decoded. */
const pictureAt = async (
  path: string,
  info: VideoInfo,
  times: readonly number[],
  index: number,
  ffmpeg: LipSyncTask['config']['ffmpeg'],
  signal: AbortSignal,
): Promise<YuvFrame> => {
  const time = (times[index] ?? 0) + info.startSeconds;
  const apart = time - (times[index - 1] ?? 0) - info.startSeconds;
  for (const from of [Math.max(0, time - apart / 2), 0]) {
    for await (const frame of decodeYuv(path, info, ffmpeg, signal, from)) {
      if (Math.abs(frame.time - time) < apart * 0.6 || index === 0) return frame;
      if (frame.time > time) break;
    }
  }
  throw new Failure('media_unreadable', { reason: `frame ${index} could be decoded once only` });
};
