import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { execa } from 'execa';
import type { Config } from '../config.ts';

/** One allocation may take this much: several times the largest picture that the limits let through. */
const MAX_ALLOC_BYTES = 1024 ** 3;
/** Larger coded pictures are not decoded at all, not even by ffmpeg's own look at the streams. */
const MAX_PIXELS = 8192 * 8192;

/** ffmpeg's name of the demuxer, and all its names, by the container that the content shows. */
const demuxers = {
  mov: { name: 'mov', whitelist: 'mov,mp4,m4a,3gp,3g2,mj2' },
  avi: { name: 'avi', whitelist: 'avi' },
  matroska: { name: 'matroska', whitelist: 'matroska,webm' },
  mp3: { name: 'mp3', whitelist: 'mp3' },
  wav: { name: 'wav', whitelist: 'wav' },
  aac: { name: 'aac', whitelist: 'aac' },
  flac: { name: 'flac', whitelist: 'flac' },
} as const;
export type Container = keyof typeof demuxers;

/**
 * Input arguments for a caller's file: the demuxer is fixed and nothing but files and pipes opens,
 * so that no playlist in disguise can name another source.
 */
export const fileInput = (path: string, container: Container): string[] => [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxers[container].whitelist],
  ...['-max_pixels', String(MAX_PIXELS)],
  ...['-f', demuxers[container].name, '-i', `file:${path}`],
];

export type Ended = {
  /** null when the child was killed. */
  readonly exitCode: number | null;
  /**
   * Which limit it ran into, else the first thing that it said went wrong (what follows is less exact), without paths
   * and addresses.
   */
  readonly complaint: string;
};

export type Ffmpeg = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Waits until the child has ended and its last line was read. Throws when it could not be started. */
  ended(): Promise<Ended>;
  /** Kills the child, unless it has ended, and waits for its end. */
  stop(): Promise<void>;
};

/** What a child may take, and all that it gets to know of the environment. */
export type Bounds = Pick<Config['ffmpeg'], 'memoryBytes' | 'cpuSeconds' | 'environment'>;

type OnLine = (line: string | null) => void;

/** Starts one ffmpeg under the limits of its configuration; see `startChild`. */
export const startFfmpeg = (
  ffmpeg: Config['ffmpeg'],
  args: readonly string[],
  signal: AbortSignal,
  onLine?: OnLine,
  output?: Socket | 'pipe',
): Ffmpeg => {
  const globals = ['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'repeat+level+info'];
  const all = [...globals, '-max_alloc', String(MAX_ALLOC_BYTES), ...args];
  return startChild([ffmpeg.path, ...all], ffmpeg, signal, onLine, output);
};

/**
 * Every shell of POSIX has ulimit, where prlimit may be missing. A limit that cannot be set is one that the service
 * itself is held to more tightly. No core is ever written; the hard limit of time kills what does not heed the soft one.
 */
const LIMITED =
  '{ ulimit -c 0; ulimit -v "$1"; ulimit -St "$2"; ulimit -Ht "$3"; } 2>/dev/null; shift 3; exec "$@"';
const HARD_AFTER_SECONDS = 5;
/** What the shell ends with where the program cannot be run. */
const NOT_STARTED = [126, 127];

/**
 * Starts a program that reads strangers' files, under limits of memory and processor time; no other file of this folder
 * starts a process. The child is killed on abort, and its broken pipes end it when this process is killed. `onLine` gets
 * each line it writes on stderr, cut where it is very long, then null. With `output` it writes there, and `stdout` gives
 * nothing.
 */
export const startChild = (
  command: readonly [path: string, ...args: string[]],
  bounds: Bounds,
  signal: AbortSignal,
  onLine: OnLine = () => {},
  output: Socket | 'pipe' = 'pipe',
): Ffmpeg => {
  signal.throwIfAborted();
  const { memoryBytes, cpuSeconds, environment } = bounds;
  const limits = [memoryBytes / 1024, cpuSeconds, cpuSeconds + HARD_AFTER_SECONDS].map(
    (limit) => `${Math.ceil(limit)}`,
  );
  const child = execa('/bin/sh', ['-c', LIMITED, 'sh', ...limits, ...command], {
    env: environment,
    extendEnv: false,
    stdin: 'pipe',
    stdout: output,
    stderr: 'pipe',
    buffer: false,
    reject: false,
    cancelSignal: signal,
    killSignal: 'SIGKILL',
  });
  // Its threads would stop the model's in the middle of a layer; in the model's gaps there is time enough for them.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  // A broken pipe is told by the child's end, which has the reason; unheard it would end this process.
  child.stdin.on('error', () => {});
  let complaint = '';
  let lacksMemory = false;
  const read = async (): Promise<void> => {
    for await (const line of linesOf(child.stderr)) {
      if (ERROR.test(line)) {
        complaint ||= tidy(line);
        lacksMemory ||= NO_MEMORY.test(line);
      }
      onLine(line);
    }
    onLine(null);
  };
  const outcome = Promise.all([child, read()]);
  const ended = async (): Promise<Ended> => {
    const [result] = await outcome;
    const exitCode = result.exitCode ?? null;
    if (NOT_STARTED.includes(exitCode ?? 0) || result.code === 'ENOENT') {
      throw new Error(`"${command[0]}" could not be started`, { cause: result.cause });
    }
    if (result.signal === 'SIGXCPU' || exitCode === TOLD_TO_END) {
      return { exitCode, complaint: `it takes more than ${cpuSeconds} s of processor time` };
    }
    if (lacksMemory && exitCode !== 0) {
      const most = Math.round(memoryBytes / 1024 ** 2);
      return { exitCode, complaint: `it takes more than ${most} MB of memory` };
    }
    return { exitCode, complaint: complaint || (result.signal ? `${result.signal} came` : '') };
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    child.stdout?.destroy();
    await outcome;
  };
  return { stdin: child.stdin, stdout: child.stdout ?? Readable.from([]), ended, stop };
};

/** ffmpeg ends so after a signal that it could catch. Nothing sends one but the limit of time: we only kill. */
const TOLD_TO_END = 255;

/** A line such as "[mov,mp4 @ 0x55] [error] moov atom not found"; what a file says of itself comes at another level. */
const ERROR = /^(\[[^\]]{1,100} @ 0x[0-9a-f]{1,16}\] )?\[(error|fatal|panic)\]/;
const NO_MEMORY =
  /(cannot|could not|failed to) allocate|get_buffer\(\) failed|malloc of size|out of memory/i;

/** A title of a stranger's file may be as long as the file. */
const LONGEST_LINE = 4096;

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const lines = `${rest}${chunk}`.split(/[\r\n]+/);
    rest = lines.pop()?.slice(0, LONGEST_LINE) ?? '';
    for (const line of lines) yield line.slice(0, LONGEST_LINE);
  }
  if (rest) yield rest;
}

/** "[mov @ 0x55] [error] file:/a/b: Invalid data" as a caller may read it: "Invalid data". */
const tidy = (line: string): string =>
  line
    .slice(0, 1000)
    .replace(/\[[^\]]*\] */g, '')
    .replace(/(file:)?\/[^\s:]+:? ?/g, '')
    .replace(/\.$/, '')
    .slice(0, 200);
