/** Keeps a part running: started again when it dies, each time a little later if it keeps dying, until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

export type Part = {
  readonly name: string;
  /** Resolves when the part is ready for work; what an abort interrupts must leave nothing running. */
  start(signal: AbortSignal): Promise<Child>;
};

export type Supervised = {
  readonly name: string;
  /** The first start; rejects when it failed, and then nothing is started again. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
};

const firstWaitMs = 250;
const longestWaitMs = 15_000;
/** A part that ran this long was well: the waits begin anew. */
const calmMs = 60_000;

export const supervise = (part: Part, tell: (line: string) => void): Supervised => {
  const end = new AbortController();
  const first = part.start(end.signal);
  const life = first.then(
    (child) => keep(part, child, end.signal, tell),
    () => undefined, // told through `ready`
  );
  const stop = () => {
    end.abort();
    return life;
  };
  return { name: part.name, ready: first.then(() => undefined), stop };
};

const keep = async (
  part: Part,
  first: Child,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> => {
  let waitMs = firstWaitMs;
  for (let child: Child | undefined = first; child; ) {
    const since = Date.now();
    const how = await child.exited;
    if (signal.aborted) return;
    if (Date.now() - since > calmMs) waitMs = firstWaitMs;
    tell(`${part.name} ended with ${how}; it is started again. Its last words:\n${child.tail()}`);
    child = undefined;
    while (!child && !signal.aborted) {
      child = await startAfter(waitMs, part, signal, tell);
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
    if (child) tell(`${part.name} runs again.`);
  }
};

const startAfter = async (
  waitMs: number,
  part: Part,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<Child | undefined> => {
  try {
    await sleep(waitMs, undefined, { signal });
    return await part.start(signal);
  } catch (error) {
    if (!signal.aborted) tell(`${part.name} could not be started: ${error}`);
    return undefined;
  }
};
