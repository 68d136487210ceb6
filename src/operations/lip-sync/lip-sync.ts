/** Makes the mouth of a clip or a portrait say what a sound says. */
import { z } from 'zod';
import type { Edit } from '../../provenance/edit.ts';
import { lipsyncEngine, lipsyncSlots } from '../../triton/clients/lipsync.ts';
import { operation } from '../operation.ts';
import { lipsyncCommand } from './cli.ts';
import { lipsyncExample } from './example.ts';
import { lipsyncIdentity } from './identity.ts';
import { warningsOf } from './length.ts';
import { describeLipsync, LipsyncModelEntry } from './model-entry.ts';
import { identifyLipsync, LipsyncFound, prepareLipsync } from './prepare.ts';
import {
  LipsyncInput,
  LipsyncJobOptions,
  LipsyncModel,
  LipsyncOptions,
  LipsyncRequest,
  LipsyncResult,
  lipsyncOutcome,
} from './request.ts';

const SAYS_OTHER_WORDS: Edit = {
  description: 'The mouth was changed by trained models, so that it says what the sound says.',
  sourceType: 'compositeWithTrainedAlgorithmicMedia',
  ingredients: [
    { role: 'media', title: 'clip or portrait', relationship: 'parentOf' },
    { role: 'audio', title: 'sound', relationship: 'componentOf' },
  ],
};

export const lipSync = operation({
  kind: 'lipsync',
  title: 'Lipsync',
  heading: 'Lip sync',
  summary: 'Make the mouth of a clip or a portrait say what the audio says',
  // Rates: credits for a second of the result.
  models: {
    fast: {
      description: 'short clips of a talking head, and portraits; the quickest',
      rate: 1,
      release: 's39',
    },
    balanced: {
      description:
        'talking heads of up to five minutes; teeth and tongue from many frames of the clip',
      rate: 2,
      release: 's39',
    },
    studio: {
      description:
        'close-ups and broadcast: what covers the mouth stays in front of it; the slowest',
      rate: 4,
      release: 's39',
    },
  },

  request: LipsyncRequest,
  sources: [['video', 'image'], ['audio']],
  refusals: ['no_audio_stream', 'output_too_large'],
  failures: ['no_face_detected', 'speaker_not_found', 'output_too_large'],

  options: LipsyncOptions,
  shownOptions: LipsyncJobOptions,
  showOptions: ({ speaker, ...options }) => ({
    ...options,
    speaker: 'boxes' in speaker ? { boxes: speaker.boxes.length } : speaker,
  }),
  input: LipsyncInput,
  found: LipsyncFound,
  details: z.object(lipsyncOutcome),
  result: LipsyncResult,
  tell: ({ options, input }) => ({ warnings: warningsOf(input, options) }),
  edit: () => SAYS_OTHER_WORDS,
  label: ({ model }) => model,
  format: () => 'mp4',

  identify: identifyLipsync,
  identity: lipsyncIdentity,
  prepare: prepareLipsync,
  // Only a worker needs decoders and encoders.
  run: async (task) => (await import('./work.ts')).lipsyncWork(task),
  help: async (chunk) => (await import('./work.ts')).lipsyncHelp(chunk),

  slots: (model) => lipsyncSlots(LipsyncModel.parse(model)),
  engine: () => lipsyncEngine,
  modelEntry: LipsyncModelEntry,
  describe: describeLipsync,
  example: lipsyncExample,
  command: lipsyncCommand,
});
