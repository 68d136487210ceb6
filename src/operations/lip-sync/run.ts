/** A clip or a portrait, and a sound, to a video in which the face says it. */
import { rm } from 'node:fs/promises';
import type { Warning } from '../../contract/job.ts';
import { Failure } from '../../errors.ts';
import { decodeFailed } from '../../media/outcome.ts';
import { contentType } from '../../media/output.ts';
import { probeAudio } from '../../media/probe/probe-audio.ts';
import type { Outcome } from '../enhance.ts';
import { measureSync } from './check/sync.ts';
import { lipSyncClip } from './clip.ts';
import { isSpoken } from './faces/lips.ts';
import { lipSyncPortrait } from './portrait.ts';
import type { LipSyncTask, Working } from './task.ts';

export type { LipSyncTask } from './task.ts';

/**
 * Throws what the media are refused with, no_face_detected, speaker_not_found, and the failures of models and encoder.
 */
export const lipSync = async (task: LipSyncTask): Promise<Outcome> => {
  const work = task.work ?? `${task.target}.work`;
  try {
    return await make({ ...task, work });
  } finally {
    if (!task.work) await rm(work, { recursive: true, force: true });
  }
};

const make = async (task: LipSyncTask & Working): Promise<Outcome> => {
  const { inputs, kind, config, report, signal } = task;
  report({ stage: 'probing', framesDone: 0, framesTotal: null });
  const sound = await probeAudio({
    path: inputs.audio,
    ffmpeg: config.probing.ffmpeg,
    limits: config.limits.audio,
    signal,
    onTimeout: decodeFailed,
  });
  const made = await (kind === 'image' ? lipSyncPortrait : lipSyncClip)(task, sound);
  if (made.framesPassedThrough === made.spoken.frames && isSpoken(made.sound.heard)) {
    // There was something to say, and nothing was said: that is no result, and costs nothing.
    throw new Failure('no_face_detected', { unchanged: true });
  }
  const sync = await measureSync(task, made);
  const { size, encoded, facesDetected, framesPassedThrough } = made;
  const warnings = [...made.warnings, ...(isSpoken(made.sound.heard) ? [] : [UNSPOKEN])];
  return {
    outputSize: size,
    contentType: contentType('mp4'),
    ...encoded,
    lipsync: { facesDetected, framesPassedThrough, sync, warnings },
  };
};

const UNSPOKEN: Warning = {
  code: 'no_speech_heard',
  detail: 'Less than half a second of speech was heard in the sound: the mouth is at rest.',
};
