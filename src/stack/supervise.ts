/** Keeps a process running: it is restarted when it ends, after waits that grow from 0.25 to 15 s, until it is stopped. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child.ts';

/** A process of the stack and how to start it. */
export type StackPart = {
  readonly name: string;
  /** Resolves when it is ready for work. An abort has to leave nothing running. */
  start(signal: AbortSignal): Promise<Child>;
};

export type Supervised = {
  readonly name: string;
  /** Settles with the first start. When that fails there is no restart. */
  readonly ready: Promise<void>;
  stop(): Promise<void>;
};

const firstWaitMs = 250;
const longestWaitMs = 15_000;
/** After running for this long, the waits begin at the shortest again. */
const stableMs = 60_000;

/** Starts a process and restarts it whenever it ends. `tell` gets one message per event. */
export const supervise = (part: StackPart, tell: (line: string) => void): Supervised => {
  const end = new AbortController();
  const first = part.start(end.signal);
  const life = first.then(
    (child) => keep(part, child, end.signal, tell),
    () => undefined, // reported by `ready`
  );
  const stop = () => {
    end.abort();
    return life;
  };
  return { name: part.name, ready: first.then(() => undefined), stop };
};

const keep = async (
  part: StackPart,
  first: Child,
  signal: AbortSignal,
  tell: (line: string) => void,
): Promise<void> => {
  let waitMs = firstWaitMs;
  for (let child: Child | undefined = first; child; ) {
    const since = performance.now();
    const how = await child.exited;
    if (signal.aborted) return;
    if (performance.now() - since > stableMs) waitMs = firstWaitMs;
    tell(`${part.name} ended with ${how} and is restarted. Its last lines:\n${child.tail()}`);
    child = undefined;
    while (!child && !signal.aborted) {
      child = await startAfter(waitMs, part, signal, tell);
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
    if (child) tell(`${part.name} is running again.`);
  }
};

const startAfter = async (
  waitMs: number,
  part: StackPart,
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
