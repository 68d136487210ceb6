import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { together } from '../../async/together.ts';
import { Failure } from '../../errors.ts';
import { evened, type Size } from '../../frame.ts';
import type { VideoInfo } from '../../media/info.ts';
import { decodeOwnAudio } from '../../media/read/decode-audio.ts';
import type { IndexedVideo } from '../../media/read/indexed-video.ts';
import { hasRoom, openSpool, type Spool } from '../../media/read/spool.ts';
import { onClock } from '../../media/write/encode.ts';
import { type Checkpoints, openCheckpoints } from '../../storage/checkpoints.ts';
import { chooseFace, countFaces } from './faces/choose-face.ts';
import { openMeshes, picturesToTrack, runFirstPass } from './faces/first-pass.ts';
import type { MeshFile } from './faces/mesh-file.ts';
import type { Sighting, TrackedClip } from './faces/track.ts';
import { checkVisible, SMALLEST_FACE } from './faces/visible.ts';
import { markCuts } from './plan/cuts.ts';
import { hear, hearSamples } from './plan/hear.ts';
import type { OutputFrame } from './plan/output-frame.ts';
import type { ClipSounds } from './plan/plan-mouth.ts';
import { soundSpansOf, soundTrack } from './plan/sound-track.ts';
import { layOut, shownSeconds } from './plan/timeline.ts';
import { encodeOneChunk, encodeOutput } from './render/chunks.ts';
import { prepareFrames, renderFrom } from './render/prepare-frames.ts';
import { keepScene, readScene } from './render/shared-scene.ts';
import {
  checkpointOrigin,
  type LipSyncHelp,
  type LipSyncTask,
  type LipSyncVideo,
  type SpeakingFrames,
  type TaskWithPlace,
} from './task.ts';
import { grownFrom } from './warnings.ts';

/**
 * Two passes over the clip: the first, on small copies of its pictures, tracks the faces; the second, at full size, renders
 * and encodes the mouth that was planned between them. Checkpoints keep the tracked faces and each encoded chunk for the
 * job's next attempt.
 */
export const lipSyncClip = async (task: TaskWithPlace, info: VideoInfo): Promise<LipSyncVideo> => {
  const { found, models, options, signal } = task;
  checkVisible(info.size);
  const checkpoints = await openCheckpoints(task.work, checkpointOrigin(task, models.version));
  const shown = shownSeconds(found.audio.durationSeconds, options);
  const pass = { info, shownSeconds: shown, checkpoints };
  const keep = await placeToKeep(task, pass);
  try {
    const [sounds, tracked] = await together(
      signal,
      (either) => hearBoth(task, info, either),
      (either) => runFirstPass(task, { ...pass, keep, signal: either }),
    );
    const spool = keep === null ? null : await openSpool(keep, info.size);
    const meshes = await openMeshes(checkpoints);
    try {
      return await runSecondPass(task, { info, sounds, tracked, spool, meshes, checkpoints });
    } finally {
      await Promise.all([meshes.close(), spool?.close()]);
    }
  } finally {
    if (keep) await rm(keep, { force: true });
  }
};

/** The path of a new file for the pictures that the first pass decodes; null where there is no room for them. */
const placeToKeep = async (
  task: TaskWithPlace,
  pass: Parameters<typeof picturesToTrack>[1],
): Promise<string | null> => {
  const { config, work } = task;
  const { folder } = work;
  const { reserveBytes } = config.files;
  return (await hasRoom({ folder, reserveBytes }, pass.info.size, picturesToTrack(task, pass)))
    ? join(folder, `${randomUUID()}.yuv`)
    : null;
};

/** One chunk of the second pass. What came before it is read from the checkpoints of the attempt that shares it out. */
export const helpWithClip = async (task: LipSyncHelp, info: VideoInfo): Promise<void> => {
  const { chunk, config, inputs, models, onFrames, signal } = task;
  const checkpoints = await openCheckpoints(task.work, checkpointOrigin(task, models.version));
  const { chunks, format, script, ...indexed } = await readScene(checkpoints);
  const meshes = await openMeshes(checkpoints);
  try {
    const video = { path: inputs.media, info, ...indexed };
    const open = renderFrom(task, { video, meshes, script });
    const { ffmpeg } = config;
    await encodeOneChunk(checkpoints, chunk, { chunks, format, open, ffmpeg, signal, onFrames });
  } finally {
    await meshes.close();
  }
};

/** The new sound on the clock of the output, and the clip's own on that of its pictures. */
const hearBoth = async (
  { config, found, inputs, models, options }: LipSyncTask,
  info: VideoInfo,
  signal: AbortSignal,
): Promise<ClipSounds> => {
  const [{ ffmpeg }, { speech }] = [config, models];
  const sound = await hear({
    path: inputs.audio,
    info: found.audio,
    samplesPath: inputs.heard,
    spans: soundSpansOf(options, found.audio.durationSeconds),
    speech,
    ffmpeg,
    signal,
  });
  const own = await decodeOwnAudio(inputs.media, info, { from: info.startSeconds, ffmpeg, signal });
  return { sound, own: own.length > 0 ? await hearSamples(own, speech, signal) : null };
};

type FirstPassResult = {
  readonly info: VideoInfo;
  readonly sounds: ClipSounds;
  readonly tracked: TrackedClip;
  readonly spool: Spool | null;
  readonly meshes: MeshFile;
  readonly checkpoints: Checkpoints;
};

const runSecondPass = async (
  task: LipSyncTask,
  { info, sounds, tracked, spool, meshes, checkpoints }: FirstPassResult,
): Promise<LipSyncVideo> => {
  const { found, inputs, options } = task;
  const facesDetected = countFaces(tracked.sightings);
  if (facesDetected === 0) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const frames = outputFrames(task, info, tracked);
  const chosen = chosenFaces(task, info.size, tracked, frames, sounds);

  const video: IndexedVideo = {
    path: inputs.media,
    info,
    start: tracked.start,
    times: tracked.times,
    spool,
  };
  const script = await prepareFrames(task, { video, frames, chosen, meshes, sounds });
  const format = { ...info, constantRate: info.constantRate || options.sync_mode === 'remap' };
  const sources = {
    audio: { path: inputs.audio, info: found.audio },
    clip: { path: inputs.media, info },
  };
  const { parts, encoded, passedThrough } = await encodeOutput(task, {
    checkpoints,
    times: frames,
    format,
    open: renderFrom(task, { video, meshes, script }),
    keep: (chunks) => keepScene(checkpoints, { ...tracked, script, format, chunks }),
  });
  return {
    parts,
    track: soundTrack(sources, options, frames),
    encoded,
    format,
    facesDetected,
    size: evened(info.size),
    sound: sounds.sound,
    framesPassedThrough: passedThrough,
    warnings: grownFrom(info.size),
    boxes: frames.map(({ moves, source }) => (moves && chosen[source]?.box) || null),
    speaking: speakingFrames(frames),
    style: script.rendering.style,
    marked: script.rendering.mark !== undefined,
  };
};

const outputFrames = (
  { config, found, options }: LipSyncTask,
  info: VideoInfo,
  { times, cuts = [] }: TrackedClip,
): OutputFrame[] => {
  const most = config.limits.lipsync.frames;
  const frames = layOut(times, found.audio.durationSeconds, options, most);
  return onClock(markCuts(frames, cuts), info);
};

/** The speaker's face in each picture of the clip. Throws speaker_not_found and no_face_detected. */
const chosenFaces = (
  { options }: LipSyncTask,
  size: Size,
  { sightings, times }: TrackedClip,
  frames: readonly OutputFrame[],
  { own }: ClipSounds,
): (Sighting | null)[] => {
  const shown = 1 + frames.reduce((most, { source }) => Math.max(most, source), 0);
  const speech = { times, size, own: own?.heard ?? null };
  const chosen = chooseFace(sightings, options.speaker, shown, speech);

  const smallest = SMALLEST_FACE;
  const moving = frames.filter(({ moves }) => moves);
  const without = moving.filter(({ source }) => !chosen[source]);
  if (moving.length > 0 && without.length === moving.length)
    throw new Failure('no_face_detected', { smallest });
  if (options.options.on_no_face === 'fail' && without[0])
    throw new Failure('no_face_detected', { smallest, frame: without[0].source });
  return chosen;
};

const speakingFrames = (frames: readonly OutputFrame[]): SpeakingFrames => {
  const first = frames.findIndex(({ moves }) => moves);
  const count = frames.filter(({ moves }) => moves).length;
  return { count, first: Math.max(0, first), times: frames.map(({ time }) => time) };
};
