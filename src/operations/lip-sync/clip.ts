import { together } from '../../async/together.ts';
import { Failure } from '../../errors.ts';
import { evened, type YuvFrame } from '../../frame.ts';
import type { AudioInfo, VideoInfo } from '../../media/info.ts';
import { decodeFailed } from '../../media/outcome.ts';
import { checkFrames } from '../../media/probe/limits.ts';
import { probeVideo } from '../../media/probe/probe.ts';
import { decodeOwnAudio } from '../../media/read/decode-audio.ts';
import { framesAt, type IndexedVideo } from '../../media/read/indexed-video.ts';
import { onClock } from '../../media/write/encode.ts';
import { type Kept, openKept } from '../../storage/checkpoints.ts';
import type { Rendering } from '../../triton/clients/mouth-render.ts';
import { chooseFace, countFaces } from './faces/choose-face.ts';
import { findFootage, openMeshes } from './faces/footage.ts';
import type { MeshFile } from './faces/mesh-file.ts';
import type { Footage, Sighting } from './faces/track.ts';
import { hear, listen } from './plan/hear.ts';
import { borrow, type Lenders } from './plan/lenders.ts';
import { planMouth, type Sounds } from './plan/plan-mouth.ts';
import { partsOf, soundTrack } from './plan/sound-track.ts';
import { layOut, type Shot, shownSeconds } from './plan/timeline.ts';
import { encodeShots } from './render/chunks.ts';
import { readShots } from './render/output-frames.ts';
import { renderMouths } from './render/render-mouths.ts';
import { measureSubject } from './render/subject.ts';
import {
  checkVisible,
  grownFrom,
  type LipSyncTask,
  type Made,
  originOf,
  SMALLEST_FACE,
  type Spoken,
  type Working,
} from './task.ts';

type Task = LipSyncTask & Working;
type Clip = {
  readonly path: string;
  readonly info: VideoInfo;
  readonly sound: AudioInfo;
};

/** What is known of a clip before its mouths are rendered. */
type Scene = {
  readonly film: IndexedVideo;
  /** The output. */
  readonly shots: readonly Shot[];
  /** The speaker's face in each picture of the clip. */
  readonly chosen: readonly (Sighting | null)[];
  readonly meshes: MeshFile;
  readonly sounds: Sounds;
};

/**
 * Twice through the clip: first small, to follow the face and to plan the mouth; then as it is, to render and encode. What
 * the first pass saw and what was encoded is there for the job's next attempt.
 */
export const lipSyncClip = async (task: Task, sound: AudioInfo): Promise<Made> => {
  const { config, inputs, models, options, signal } = task;
  const path = inputs.media;
  const info = await probeVideo({
    path,
    ffmpeg: config.probing.ffmpeg,
    limits: config.limits.lipsync,
    signal,
    onTimeout: decodeFailed,
  });
  checkFrames(info.frames, config.limits.lipsync);
  checkVisible(info.size);
  const clip: Clip = { path, info, sound };
  const kept = await openKept(task.work, originOf(task, models.version));
  const shown = shownSeconds(sound.durationSeconds, options);
  const [sounds, footage] = await together(
    signal,
    (either) => listenToBoth(task, clip, either),
    (either) => findFootage(task, info, shown, kept, either),
  );
  const meshes = await openMeshes(kept);
  try {
    return await make(task, clip, sounds, footage, meshes, kept);
  } finally {
    await meshes.close();
  }
};

/** The new sound on the clock of the output, and the clip's own on that of its pictures. */
const listenToBoth = async (
  { config, inputs, models, options }: Task,
  { path, info, sound }: Clip,
  signal: AbortSignal,
): Promise<Sounds> => {
  const parts = partsOf(options, sound.durationSeconds);
  const heard = await hear(inputs.audio, sound, models.speech, config.ffmpeg, signal, parts);
  const own = await decodeOwnAudio(path, info, {
    from: info.startSeconds,
    ffmpeg: config.ffmpeg,
    signal,
  });
  return { sound: heard, own: own.length > 0 ? await listen(own, models.speech, signal) : null };
};

const make = async (
  task: Task,
  clip: Clip,
  sounds: Sounds,
  footage: Footage,
  meshes: MeshFile,
  kept: Kept,
): Promise<Made> => {
  const { config, inputs, options } = task;
  const { path, info, sound } = clip;
  const facesDetected = countFaces(footage.sightings);
  if (facesDetected === 0) throw new Failure('no_face_detected', { smallest: SMALLEST_FACE });
  const shots = onClock(
    layOut(footage.times, sound.durationSeconds, options, config.limits.lipsync.frames),
    info,
  );
  const framesShown = 1 + shots.reduce((most, { source }) => Math.max(most, source), 0);
  const talk = { times: footage.times, own: sounds.own?.heard ?? null };
  const chosen = chooseFace(footage.sightings, options.speaker, framesShown, talk);
  checkSeen(shots, chosen, options.options.on_no_face);

  const film: IndexedVideo = { path, info, start: footage.start, times: footage.times };
  const open = await direct(task, { film, shots, chosen, meshes, sounds });
  const look = { ...info, constantRate: info.constantRate || options.sync_mode === 'remap' };
  const track = soundTrack(inputs.audio, clip, options, shots);
  const { encoded, passed } = await encodeShots(task, kept, shots, look, track, open);
  return {
    ...{ encoded, facesDetected, size: evened(info.size), sound: sounds.sound },
    framesPassedThrough: passed,
    warnings: grownFrom(info.size),
    boxes: shots.map(({ moves, source }) => (moves && chosen[source]?.box) || null),
    spoken: spokenIn(shots),
  };
};

/** Throws where the mouth is to move and nobody is seen. */
const checkSeen = (
  shots: readonly Shot[],
  chosen: readonly (Sighting | null)[],
  onNoFace: 'passthrough' | 'fail',
) => {
  const smallest = SMALLEST_FACE;
  const moving = shots.filter(({ moves }) => moves);
  const without = moving.filter(({ source }) => !chosen[source]);
  if (moving.length > 0 && without.length === moving.length)
    throw new Failure('no_face_detected', { smallest });
  if (onNoFace === 'fail' && without[0])
    throw new Failure('no_face_detected', { smallest, frame: without[0].source });
};

/** Plans the mouth and gets ready what rendering needs: the frames of the output from any shot on. */
const direct = async (task: Task, scene: Scene) => {
  const { config, models, signal, watch } = task;
  const { film, shots, chosen, meshes, sounds } = scene;
  const meshOf = async (at: number) => (chosen[at] ? meshes.read(chosen[at].mesh) : null);
  const means = { ffmpeg: config.ffmpeg, signal, spare: [] };
  const pictures = (places: readonly number[]) => framesAt(film, places, means);

  const known = { times: film.times.slice(0, -1), mesh: meshOf };
  const times = shots.map(({ time }) => time);
  const shown = shots.map(({ source }) => source);
  const plan = await planMouth(task, sounds, known, times, shown);
  const { lending, references, targets } = plan;
  const about = await aboutSubject(task, scene, references, pictures);
  const lent = { lending, pictures, meshOf, about };
  const lenders: Lenders = await borrow(lent, models.mouthRender, signal);

  return (from: number) =>
    renderMouths(
      readShots(film, shots, from, means),
      { shots, chosen, meshes, targets, about, lenders },
      {
        ...{ render: models.mouthRender, inFlight: config.triton.framesInFlight },
        ...{ signal, watch, spare: means.spare },
      },
    );
};

const aboutSubject = async (
  task: Task,
  { film, chosen, meshes }: Scene,
  references: readonly number[],
  pictures: (places: readonly number[]) => AsyncIterable<YuvFrame>,
): Promise<Rendering> => {
  const best = references.find((at) => chosen[at]) ?? chosen.findIndex((face) => face !== null);
  const face = chosen[best];
  if (face) {
    const mesh = await meshes.read(face.mesh);
    for await (const picture of pictures([best]))
      return measureSubject(task, film.info, picture, face, mesh);
  }
  throw new Error('a face was chosen and is in no frame');
};

const spokenIn = (shots: readonly Shot[]): Spoken => {
  const first = shots.findIndex(({ moves }) => moves);
  const frames = shots.filter(({ moves }) => moves).length;
  return { frames, first: Math.max(0, first), firstSeconds: shots[first]?.time ?? 0 };
};
