/** What the probe of a request finds in its two files, for tests and benches that call the pipeline without a request. */
import type { Config } from '../../src/config.ts';
import { identify } from '../../src/media/probe/identify.ts';
import { probeImage, probeVideo } from '../../src/media/probe/probe.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import type { LipSyncTask } from '../../src/operations/lip-sync/task.ts';

export const probeBoth = async (
  { media, audio }: LipSyncTask['inputs'],
  { limits, probing }: Config,
  signal: AbortSignal,
): Promise<LipSyncTask['found']> => ({
  media:
    (await identify(media)).kind === 'image'
      ? await probeImage(media)
      : await probeVideo({ path: media, ffmpeg: probing.ffmpeg, limits: limits.lipsync, signal }),
  audio: await probeAudio({ path: audio, ffmpeg: probing.ffmpeg, limits: limits.audio, signal }),
});
