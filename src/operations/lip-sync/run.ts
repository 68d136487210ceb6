/** A clip or portrait and a sound to a video in which the face says it. */
import { rm } from 'node:fs/promises';
import { together } from '../../async/together.ts';
import { Failure } from '../../errors.ts';
import { contentType } from '../../media/output.ts';
import { joinClip } from '../../media/write/encode.ts';
import { leftOutOfLipSync } from '../left-out.ts';
import { pictureWarnings } from '../media.ts';
import { measureSync } from './check/sync.ts';
import { helpWithClip, lipSyncClip } from './clip.ts';
import { hasSpeech } from './faces/lips.ts';
import type { LipSyncOutcome } from './outcome.ts';
import { lipSyncPortrait } from './portrait.ts';
import type { LipSyncHelp, LipSyncTask, LipSyncVideo, TaskWithPlace } from './task.ts';
import { cutSound, leftUnchanged, NO_SPEECH, smallFace, weaklySynced } from './warnings.ts';

/** Throws no_face_detected, speaker_not_found, and the failures of decoder, models and encoder. */
export const runLipSync = async (task: LipSyncTask): Promise<LipSyncOutcome> => {
  const work = task.work ?? { folder: `${task.target}.work` };
  try {
    return await renderAndCheck({ ...task, work });
  } finally {
    if (!task.work) await rm(work.folder, { recursive: true, force: true });
  }
};

/** One chunk of a clip; a portrait is not shared out. */
export const helpLipSync = (task: LipSyncHelp): Promise<void> => {
  const { media } = task.found;
  if (media.kind === 'image') throw new Error('a portrait is not shared out');
  return helpWithClip(task, media);
};

const renderAndCheck = async (task: TaskWithPlace): Promise<LipSyncOutcome> => {
  const { media, audio } = task.found;
  const video = await (media.kind === 'image'
    ? lipSyncPortrait(task, media)
    : lipSyncClip(task, media));
  const { size, encoded, facesDetected, framesPassedThrough, speaking } = video;
  const speaks = hasSpeech(video.sound.heard, encoded.durationSeconds);
  // Speech was to be shown, and every frame was passed through: a failure costs the caller nothing.
  if (speaks && framesPassedThrough === speaking.count)
    throw new Failure('no_face_detected', { unchanged: true });
  const [sync] = await together(
    task.signal,
    (signal) => measureSync({ ...task, signal }, video),
    (signal) => writeResult({ ...task, signal }, video),
  );
  // A bench that leaves frames as they were has measured another mouth.
  const judged = task.hooks?.renders ? null : sync;
  const { style, marked = false } = video;
  const spoken = { frames: speaking.count, unchanged: framesPassedThrough, style, marked };
  const warnings = [
    ...cutSound(audio),
    ...pictureWarnings(media),
    ...leftOutOfLipSync(media),
    ...video.warnings,
    ...(speaks ? weaklySynced(judged, spoken) : [NO_SPEECH]),
    ...leftUnchanged(framesPassedThrough, speaking.count),
    ...(speaks ? smallFace(video.boxes) : []),
  ];
  return {
    outputSize: size,
    contentType: contentType('mp4'),
    ...encoded,
    lipsync: { facesDetected, framesPassedThrough, sync, warnings },
  };
};

const writeResult = (
  { target, config: { ffmpeg }, signal }: LipSyncTask,
  { parts, format, track }: LipSyncVideo,
): Promise<void> => joinClip(parts, { format, sound: track, target, ffmpeg, signal });
