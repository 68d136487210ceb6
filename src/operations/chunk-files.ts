import { writeFile } from 'node:fs/promises';
import type { Checkpoints } from '../storage/checkpoints.ts';

/** The encoded chunks of a video, each a checkpoint that any worker of the job may have written. */
export type ChunkFiles<About> = {
  /** The numbers of those that are not there, in ascending order. */
  missing(): Promise<number[]>;
  /** `encode` writes a chunk to the path that it is given, and returns what is to be known of it. */
  put(chunk: number, encode: (path: string) => Promise<About>): Promise<void>;
  about(chunk: number): Promise<About>;
  /** The local path of a chunk that is there. */
  path(chunk: number): Promise<string>;
};

export const openChunkFiles = <About>(
  checkpoints: Checkpoints,
  count: number,
): ChunkFiles<About> => {
  const [pictures, facts] = [(i: number) => `chunk-${i}.mp4`, (i: number) => `chunk-${i}.json`];
  return {
    missing: async () => {
      const all = Array.from({ length: count }, (_, chunk) => chunk);
      const there = await Promise.all(all.map((chunk) => checkpoints.has(pictures(chunk))));
      return all.filter((chunk) => !there[chunk]);
    },
    put: (chunk, encode) =>
      checkpoints.put(pictures(chunk), async (path) => {
        const about = JSON.stringify(await encode(path));
        // Before the pictures get their name: where they are, this is.
        await checkpoints.put(facts(chunk), (file) => writeFile(file, about));
      }),
    about: async (chunk) => {
      const text = await checkpoints.read(facts(chunk));
      if (text === null) throw new Error(`nothing is known of chunk ${chunk}`);
      return JSON.parse(text);
    },
    path: (chunk) => checkpoints.fetch(pictures(chunk)),
  };
};
