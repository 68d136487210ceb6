import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Redises, script } from '../../redis/script.ts';

/** A chunk that this worker has taken from the attempt of another worker. */
export type Taken = { readonly id: string; readonly fence: number; readonly chunk: number };
/** How a worker leaves a chunk: 'free' for another helper, 'left' for the owner of the attempt. */
type Left = 'done' | 'free' | 'left';
export type ChunkList = ReturnType<typeof openChunkList>;

const from = (name: string) => new URL(`../scripts/chunk-${name}.lua`, import.meta.url);
const shareChunks = script(from('share'), z.enum(['shared', 'lost']));
const nextChunk = script(from('next'), z.union([z.int(), z.enum(['wait', 'done', 'lost'])]));
const takeChunk = script(from('take'), z.tuple([z.string(), z.int(), z.int()]).nullable());
const beatChunk = script(from('beat'), z.enum(['on', 'stop']));
const endChunk = script(from('end'), z.number());

const Chunk = z.object({ by: z.string(), frames: z.int() });

/** The chunks that running attempts share out, as this worker, under a name of its own, sees and changes them. */
export const openChunkList = (stores: Redises, leaseMs: number) => {
  const worker = randomUUID();
  return {
    /** 'lost' when the job belongs to another attempt by now. */
    share: (id: string, fence: number, chunks: readonly number[]) =>
      shareChunks(stores, id, fence, worker, JSON.stringify(chunks)),

    /** The number of the chunk that the owner of the attempt is to do, or why there is none. */
    next: (id: string, fence: number) => nextChunk(stores, id, fence, worker),

    /** A chunk for a helper; null where none is left. */
    take: async (): Promise<Taken | null> => {
      const taken = await takeChunk(stores, worker, leaseMs);
      if (!taken) return null;
      const [id, fence, chunk] = taken;
      return { id, fence, chunk };
    },

    beat: ({ id, fence, chunk }: Taken, frames: number) =>
      beatChunk(stores, id, fence, chunk, worker, leaseMs, frames),

    end: ({ id, fence, chunk }: Taken, left: Left, frames: number) =>
      endChunk(stores, id, fence, chunk, worker, left, frames),

    /** How many frames other workers have done, of chunks that they have finished and of those that they are at. */
    framesOfOthers: async (id: string): Promise<number> => {
      const {
        fence: _,
        owner: __,
        ...chunks
      } = await stores.redis.hgetall(`${stores.prefix}:chunks:${id}`);
      return Object.values(chunks)
        .map((text) => Chunk.parse(JSON.parse(text)))
        .reduce((sum, { by, frames }) => (by === worker ? sum : sum + frames), 0);
    },
  };
};
