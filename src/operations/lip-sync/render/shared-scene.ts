/** What an attempt found and planned before its second pass, for the workers that do chunks of it: a checkpoint. */
import { readFile, writeFile } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import type { IndexedVideo } from '../../../media/read/indexed-video.ts';
import type { VideoFormat } from '../../../media/write/encode.ts';
import type { Checkpoints } from '../../../storage/checkpoints.ts';
import type { Chunk } from './chunks.ts';
import type { MouthScript } from './render-mouths.ts';

type SharedScene = Pick<IndexedVideo, 'start' | 'times'> & {
  readonly script: MouthScript;
  readonly format: VideoFormat;
  readonly chunks: readonly Chunk[];
};

const SCENE = 'scene';

export const keepScene = (
  checkpoints: Checkpoints,
  { script, format, start, times, chunks }: SharedScene,
): Promise<void> => {
  const { colour, sampleAspect, timeBase, constantRate, fps } = format;
  const kept: SharedScene = {
    script,
    start,
    times,
    chunks,
    format: { colour, sampleAspect, timeBase, constantRate, fps },
  };
  return checkpoints.put(SCENE, (path) => writeFile(path, serialize(kept)));
};

/** Throws where no attempt with the same origin, such as the same release, has shared it. */
export const readScene = async (checkpoints: Checkpoints): Promise<SharedScene> => {
  const file = await readFile(await checkpoints.fetch(SCENE));
  return deserialize(file);
};
