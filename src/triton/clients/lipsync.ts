/** The models that work together on lip sync. */

import { Failure } from '../../errors.ts';
import type { LipsyncModel } from '../../operations/lip-sync/request.ts';
import type { Control } from '../protocol/control.ts';
import type { Transport } from '../protocol/transport.ts';
import { type FaceTrack, openFaceTrack, readFaceTrack } from './face-track.ts';
import { type HeadMotion, openHeadMotion, readHeadMotion } from './head-motion.ts';
import type { Described } from './model.ts';
import { type MouthPlan, openMouthPlan, readMouthPlan } from './mouth-plan.ts';
import { type MouthRender, openMouthRender, readMouthRender } from './mouth-render.ts';
import { openPortraitMotion, type PortraitMotion, readPortraitMotion } from './portrait-motion.ts';
import { openSpeech, readSpeech, type Speech } from './speech.ts';

export type LipsyncInfo = {
  readonly model: LipsyncModel;
  /** What callers see as model_version of a clip: the releases of all models that it goes through. */
  readonly release: string;
  /** The same of a portrait, which goes through more. */
  readonly portraitRelease: string;
  /** What computes it. They have no choice: small networks, one CPU thread each. */
  readonly engine: string;
};

export type LipsyncModels = Omit<LipsyncInfo, 'engine'> & {
  readonly faceTrack: FaceTrack;
  readonly speech: Speech;
  readonly mouthPlan: MouthPlan;
  readonly mouthRender: MouthRender;
  readonly headMotion: HeadMotion;
  readonly portraitMotion: PortraitMotion;
};

const forPortraits = [readHeadMotion, readPortraitMotion] as const;

/** What the loaded models say of themselves. Throws Failure model_unavailable, whose cause names the one that is missing or differs. */
export const readLipsync = async (model: LipsyncModel, control: Control): Promise<LipsyncInfo> => {
  const read = (models: readonly ((control: Control) => Promise<Described>)[]) =>
    Promise.all(models.map((one) => one(control)));
  const renderer = (from: Control) => readMouthRender(model, from);
  const forClips = [readFaceTrack, readSpeech, readMouthPlan, renderer];
  const [clip, more] = await together(model, Promise.all([read(forClips), read(forPortraits)]));
  return {
    model,
    release: joined(clip),
    portraitRelease: joined([...clip, ...more]),
    engine: 'openvino f32 cpu',
  };
};

/** Opens all of them, their configs checked. Throws as `readLipsync` does. */
export const openLipsync = async (
  model: LipsyncModel,
  transport: Transport,
  control: Control,
): Promise<LipsyncModels> => {
  const [faceTrack, speech, mouthPlan, mouthRender, headMotion, portraitMotion] = await together(
    model,
    Promise.all([
      openFaceTrack(transport, control),
      openSpeech(transport, control),
      openMouthPlan(transport, control),
      openMouthRender(model, transport, control),
      openHeadMotion(transport, control),
      openPortraitMotion(transport, control),
    ]),
  );
  const clip = [faceTrack, speech, mouthPlan, mouthRender];
  const release = joined(clip);
  const portraitRelease = joined([...clip, headMotion, portraitMotion]);
  return {
    ...{ model, release, portraitRelease },
    ...{ faceTrack, speech, mouthPlan, mouthRender, headMotion, portraitMotion },
  };
};

const joined = (models: readonly { readonly release: string }[]): string =>
  models.map(({ release }) => release).join('+');

/** Callers know the one model that they asked for. */
const together = async <T>(model: LipsyncModel, opening: Promise<T>): Promise<T> => {
  try {
    return await opening;
  } catch (cause) {
    if (!(cause instanceof Failure) || cause.code !== 'model_unavailable') throw cause;
    const why = cause.cause instanceof Error ? cause.cause.message : String(cause.cause);
    const named = new Error(`${String(cause.facts.model)}: ${why}`, { cause });
    throw new Failure('model_unavailable', { model }, { cause: named });
  }
};
