/** What the exit of a child means, by its code or signal and by what it printed. */
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import type { Config } from '../config.ts';

/** What a child may use, and all of the environment that it sees. */
export type ChildLimits = Pick<
  Config['ffmpeg'],
  'memoryBytes' | 'cpuSeconds' | 'environment' | 'network'
>;

export type ChildExit = {
  /** null when a signal ended the child. */
  readonly exitCode: number | null;
  /** Whether it was ended by a signal that no limit sent: then this says nothing about the file. */
  readonly killed: boolean;
  /** The limit that it exceeded, else the first error that it printed, without paths and addresses; later ones are less exact. */
  readonly errorText: string;
};

/** How an `errorText` begins that tells a limit and not what the child printed. */
export const OVER_LIMIT = 'it takes more than';

type Errors = {
  readonly first: string;
  readonly lacksMemory: boolean;
  /** It ended by itself, whatever the exit code: a muxer refused what the file has. */
  readonly refused: boolean;
};

/** Reads all that it prints to its end; `onMessage` gets each line, cut after 4096 characters. */
export const readErrors = async (
  stderr: Readable,
  onMessage?: (line: string) => void,
): Promise<Errors> => {
  let first = '';
  let lacksMemory = false;
  let refused = false;
  for await (const line of linesOf(stderr)) {
    onMessage?.(line);
    if (!ERROR.test(line)) continue;
    first ||= withoutPaths(line);
    lacksMemory ||= NO_MEMORY.test(line);
    refused ||= line.includes('Could not write header');
  }
  return { first, lacksMemory, refused };
};

type Exit = {
  readonly exitCode: number | null;
  readonly signal: string | undefined;
  readonly startedMs: number;
};

export const describeExit = (
  { exitCode, signal, startedMs }: Exit,
  { first, lacksMemory, refused }: Errors,
  { memoryBytes, cpuSeconds }: ChildLimits,
): ChildExit => {
  const terminated = signal === 'SIGXCPU' || (exitCode === TERMINATED && !refused);
  const mostCpuSeconds = ((performance.now() - startedMs) / 1000) * availableParallelism();
  const overTime = terminated && mostCpuSeconds >= cpuSeconds;
  const exit = { exitCode, killed: (terminated || signal !== undefined) && !overTime };
  if (overTime) {
    return { ...exit, errorText: `${OVER_LIMIT} ${cpuSeconds} s of processor time` };
  }
  if (lacksMemory) {
    const most = Math.round(memoryBytes / 1024 ** 2);
    return { ...exit, errorText: `${OVER_LIMIT} ${most} MB of memory` };
  }
  return { ...exit, errorText: first || (signal ? `${signal} ended it` : '') };
};

/**
 * How ffmpeg ends after a signal that it can catch: the limit of time sends one, and so does a stop of its process group.
 * "Operation not permitted" of a muxer, -1, ends it with the same code.
 */
const TERMINATED = 255;

/** A line such as "[mov,mp4 @ 0x55] [error] moov atom not found". */
const ERROR = /^(\[[^\]]{1,100} @ 0x[0-9a-f]{1,16}\] )?\[(error|fatal|panic)\]/;
const NO_MEMORY =
  /(cannot|could not|failed to) allocate|get_buffer\(\) failed|malloc of size|out of memory/i;

/** "[mov @ 0x55] [error] file:/a/b: Invalid data" as a caller may read it: "Invalid data". */
const withoutPaths = (line: string): string =>
  line
    .slice(0, 1000)
    .replace(/\p{Cc}/gu, ' ')
    .replace(/\[[^\]]*\] */g, '')
    .replace(/(file:)?\/[^\s:]+:? ?/g, '')
    .replace(/\.$/, '')
    .slice(0, 200);

/** A title in a caller's file may be as long as the file; a line is cut after this many characters. */
const LONGEST_LINE = 4096;

export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split(/[\r\n]+/);
    rest = lines.pop()?.slice(0, LONGEST_LINE) ?? '';
    for (const line of lines) yield line.slice(0, LONGEST_LINE);
  }
  if (rest) yield rest;
}
