/** A program that reads callers' files, under limits of memory and processor time. Only here `media` starts a program that is not its own. */
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { execa } from 'execa';
import type { Config } from '../config.ts';
import { EnvironmentError } from '../environment/environment-error.ts';
import { niceness } from '../process/niceness.ts';
import {
  type ChildExit,
  type ChildLimits,
  describeExit,
  linesOf,
  readErrors,
} from './child-exit.ts';
import { TRY_SOCKET, withoutNetwork } from './no-network.ts';

/** Where a child's output goes. */
export type ChildOutputs = {
  /** Gets the standard output; `stdout` of the child is empty then. */
  readonly stdoutTo?: Socket | undefined;
  /** Reads the child's descriptor 3 to its end. What it fails with is thrown by `ended`. */
  readonly readDescriptor3?: ((stream: Readable) => Promise<void>) | undefined;
  /** Gets each line that it prints as a message, cut after 4096 characters. */
  readonly onMessage?: ((line: string) => void) | undefined;
};

type ChildOptions = ChildOutputs & { readonly limits: ChildLimits; readonly signal: AbortSignal };

export type Child = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Waits until the child has ended and all that it wrote was read. Throws when it could not be started. */
  ended(): Promise<ChildExit>;
  /** Kills the child, unless it has ended, and waits for its end. */
  stop(): Promise<void>;
};

/** Starts the program; on abort it is killed. When this process is killed, its broken pipes end the child. */
export const startChild = (
  command: readonly [path: string, ...args: string[]],
  options: ChildOptions,
): Child => {
  const { limits, signal } = options;
  signal.throwIfAborted();
  const startedMs = performance.now();
  const child = spawn(command, options);
  // Decoders' threads would take the processor from the models' threads; the models leave it idle often enough.
  if (child.pid !== undefined) setPriority(child.pid, niceness.decoders);
  // The child's exit says why the pipe broke; without a listener this error would end the process.
  child.stdin.on('error', () => {});
  const third = readThird(child.stdio[3], options.readDescriptor3);
  const finished = Promise.all([child, readErrors(child.stderr, options.onMessage), third]);
  const ended = async (): Promise<ChildExit> => {
    const [result, errors, failed] = await finished;
    if (failed) {
      signal.throwIfAborted();
      throw failed.error;
    }
    const exitCode = result.exitCode ?? null;
    if (NOT_STARTED.includes(exitCode ?? 0) || result.code === 'ENOENT') {
      throw new Error(`"${command[0]}" could not be started`, { cause: result.cause });
    }
    const exit = { exitCode, signal: result.signal, startedMs };
    return describeExit(exit, errors, limits);
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    child.stdout?.destroy();
    await finished;
  };
  const stdout = child.stdout instanceof Readable ? child.stdout : Readable.from([]);
  return { stdin: child.stdin, stdout, ended, stop };
};

/**
 * Throws an EnvironmentError when ffmpeg or ffprobe cannot be run, or children are to have no network and cannot be kept
 * from it on this machine.
 */
export const checkChildren = async (ffmpeg: Config['ffmpeg']): Promise<void> => {
  if (ffmpeg.network === 'blocked' && !(await runs(TRY_SOCKET, ffmpeg))) {
    throw EnvironmentError.of([
      'FFMPEG_NETWORK: ffmpeg cannot be kept from the network on this machine: this needs Perl and a kernel with seccomp. FFMPEG_NETWORK=open does without.',
    ]);
  }
  const programs = { FFMPEG: ffmpeg.path, FFPROBE: ffmpeg.probePath };
  const faults: string[] = [];
  for (const [variable, path] of Object.entries(programs)) {
    if (await runs([path, '-version'], ffmpeg)) continue;
    faults.push(`${variable}: expected a program that runs; "${path} -version" fails`);
  }
  if (faults.length > 0) throw EnvironmentError.of(faults);
};

const runs = async (command: Parameters<typeof startChild>[0], limits: ChildLimits) => {
  const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
  try {
    const child = startChild(command, { limits, signal });
    child.stdout.resume();
    return (await child.ended()).exitCode === 0;
  } catch {
    return false;
  }
};
/** The longest run of a program that prints a line. On a busy machine its file may have to be read first. */
const CHECK_WITHIN_MS = 60_000;

/**
 * Every POSIX shell has ulimit; prlimit may be missing. Where a limit cannot be set, this service itself already has a
 * stricter one. No core is written. The soft limit of time sends SIGXCPU, the hard one SIGKILL.
 */
const SET_LIMITS =
  '{ ulimit -c 0; ulimit -v "$1"; ulimit -St "$2"; ulimit -Ht "$3"; } 2>/dev/null; shift 3; exec "$@"';
const HARD_AFTER_SECONDS = 5;
/** Exit codes of a shell that could not run the program. */
const NOT_STARTED = [126, 127];

const spawn = (
  command: readonly string[],
  { limits, signal, stdoutTo, readDescriptor3 }: ChildOptions,
) => {
  const stdout: Socket | 'pipe' = stdoutTo ?? 'pipe';
  const { memoryBytes, cpuSeconds, environment, network } = limits;
  const numbers = [memoryBytes / 1024, cpuSeconds, cpuSeconds + HARD_AFTER_SECONDS].map(
    (limit) => `${Math.ceil(limit)}`,
  );
  const confined = network === 'blocked' ? [...withoutNetwork(), ...command] : command;
  return execa('/bin/sh', ['-c', SET_LIMITS, 'sh', ...numbers, ...confined], {
    env: environment,
    extendEnv: false,
    stdio: ['pipe', stdout, 'pipe', readDescriptor3 ? 'pipe' : 'ignore'],
    buffer: false,
    reject: false,
    cancelSignal: signal,
    killSignal: 'SIGKILL',
  });
};

/** What reading failed with, or null. */
const readThird = async (
  stream: unknown,
  read: ChildOutputs['readDescriptor3'],
): Promise<{ readonly error: unknown } | null> => {
  if (!read) return null;
  try {
    await read(stream instanceof Readable ? stream : Readable.from([]));
    return null;
  } catch (error) {
    return { error };
  }
};

/** For `readDescriptor3`: hands each line to `onLine`, cut after 4096 characters, then null. */
export const eachLine =
  (onLine: (line: string | null) => void) =>
  async (stream: Readable): Promise<void> => {
    try {
      for await (const line of linesOf(stream)) onLine(line);
    } finally {
      onLine(null);
    }
  };
