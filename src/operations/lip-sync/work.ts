/** What a worker does for a lip sync. */
import { openLipsync } from '../../triton/clients/lipsync.ts';
import { videoDetails } from '../media.ts';
import type { Help, Task } from '../operation.ts';
import type { LipsyncFound } from './prepare.ts';
import type { LipsyncOptions } from './request.ts';
import { helpLipSync, runLipSync } from './run.ts';

type Work = Task<LipsyncOptions, LipsyncFound>;

export const lipsyncWork = async (task: Work) => {
  const { lipsync, outputSize, contentType, ...video } = await runLipSync(withModels(task));
  const { sync } = lipsync;
  return {
    outputSize,
    contentType,
    warnings: lipsync.warnings,
    details: {
      ...videoDetails(video),
      faces_detected: lipsync.facesDetected,
      frames_passed_through: lipsync.framesPassedThrough,
      sync: { correlation: sync?.correlation ?? null, lag_ms: sync?.lagMs ?? null },
    },
  };
};

export const lipsyncHelp = (chunk: Help<LipsyncOptions, LipsyncFound>): Promise<void> =>
  helpLipSync(withModels(chunk));

/** The sources by their roles, and a client for each model. */
const withModels = <T extends Help<LipsyncOptions, LipsyncFound> | Work>({
  inputKind,
  input,
  models,
  transport,
  ...task
}: T) => ({
  ...task,
  inputs: { media: input('media'), audio: input('audio'), heard: input('heard') },
  models: openLipsync(task.options.model, inputKind, transport, models),
});
