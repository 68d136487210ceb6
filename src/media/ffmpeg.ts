import type { Socket } from 'node:net';
import { availableParallelism, constants, setPriority } from 'node:os';
import { Readable, type Writable } from 'node:stream';
import { execa } from 'execa';
import type { Config } from '../config.ts';

/** One allocation may take this much: several times the largest picture that the limits let through. */
const MAX_ALLOC_BYTES = 1024 ** 3;
/** Larger coded pictures are not decoded at all, not even to learn what the first one is. */
const MAX_PIXELS = 8192 * 8192;

/** ffmpeg's name of the demuxer, and all its names, by the container that the content shows. */
const demuxers = {
  mov: { name: 'mov', whitelist: 'mov,mp4,m4a,3gp,3g2,mj2', describesAll: true },
  avi: { name: 'avi', whitelist: 'avi', describesAll: false },
  matroska: { name: 'matroska', whitelist: 'matroska,webm', describesAll: true },
  mp3: { name: 'mp3', whitelist: 'mp3', describesAll: false },
  wav: { name: 'wav', whitelist: 'wav', describesAll: false },
  aac: { name: 'aac', whitelist: 'aac', describesAll: false },
  flac: { name: 'flac', whitelist: 'flac', describesAll: false },
} as const;
export type Container = keyof typeof demuxers;

/**
 * Input arguments for a caller's file: the demuxer is fixed and nothing but files and pipes opens,
 * so that no playlist in disguise can name another source. No picture of a track that is not used is ever decoded:
 * ffmpeg does that to learn what the tracks are, unless the header describes them (a file with one picture of 8192x8192
 * in 20 tracks took 3.2 GB). Pictures beyond `maxPixels` count as damaged.
 */
export const fileInput = (path: string, container: Container, maxPixels = MAX_PIXELS): string[] => [
  ...(demuxers[container].describesAll
    ? ['-nofind_stream_info', '-max_pixels', String(maxPixels)]
    : ['-max_pixels', '1', '-max_pixels:V:0', String(maxPixels)]),
  ...opening(path, container),
];

/**
 * Before an input of sound: ffmpeg then ends where the rate or the channels change. Else it would begin its filters anew
 * there, and whatever makes an output as long as the pictures would make as much again at each change.
 */
export const ONE_FORM = ['-reinit_filter', '0'];

/** The same input for ffprobe, which decodes nothing but what it is asked for. */
export const probeInput = (path: string, container: Container): string[] => [
  ...['-nofind_stream_info', '-max_pixels', String(MAX_PIXELS)],
  ...opening(path, container),
];

const opening = (path: string, container: Container): string[] => [
  ...['-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxers[container].whitelist],
  ...['-f', demuxers[container].name, '-i', `file:${path}`],
];

export type Ended = {
  /** null when a signal ended the child. */
  readonly exitCode: number | null;
  /** Whether a signal ended it that was not a limit's: that says nothing of the file. */
  readonly killed: boolean;
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

/** Of every child: what a file says of itself (titles, comments) is printed at another level, and never seen here. */
const globals = [
  ...['-hide_banner', '-loglevel', 'repeat+level+error'],
  ...['-max_alloc', String(MAX_ALLOC_BYTES)],
];

/** Starts one ffmpeg under the limits of its configuration; see `startChild`. */
export const startFfmpeg = (
  ffmpeg: Config['ffmpeg'],
  args: readonly string[],
  signal: AbortSignal,
  onLine?: OnLine,
  output?: Socket | 'pipe',
): Ffmpeg =>
  startChild(
    [ffmpeg.path, ...globals, '-nostdin', '-nostats', ...args],
    ffmpeg,
    signal,
    onLine,
    output,
  );

/** Starts one ffprobe in the same way. */
export const startFfprobe = (
  ffmpeg: Config['ffmpeg'],
  args: readonly string[],
  signal: AbortSignal,
): Ffmpeg => startChild([ffmpeg.probePath, ...globals, ...args], ffmpeg, signal);

/**
 * Every shell of POSIX has ulimit, where prlimit may be missing. Where a limit cannot be set, the service itself already
 * runs under a stricter one. No core is ever written; the hard limit of time kills what does not heed the soft one.
 */
const LIMITED =
  '{ ulimit -c 0; ulimit -v "$1"; ulimit -St "$2"; ulimit -Ht "$3"; } 2>/dev/null; shift 3; exec "$@"';
const HARD_AFTER_SECONDS = 5;
/** What the shell ends with where the program cannot be run. */
const NOT_STARTED = [126, 127];

/**
 * Starts a program that reads strangers' files, under limits of memory and processor time; no other file of this folder
 * starts a process. The child is killed on abort, and its broken pipes end it when this process is killed. With `onLine`
 * it has a third output, its descriptor 3, of which that gets each line, cut where it is very long, then null. With
 * `output` it writes there, and `stdout` gives nothing.
 */
export const startChild = (
  command: readonly [path: string, ...args: string[]],
  bounds: Bounds,
  signal: AbortSignal,
  onLine?: OnLine,
  output: Socket | 'pipe' = 'pipe',
): Ffmpeg => {
  signal.throwIfAborted();
  const { memoryBytes, cpuSeconds, environment } = bounds;
  const limits = [memoryBytes / 1024, cpuSeconds, cpuSeconds + HARD_AFTER_SECONDS].map(
    (limit) => `${Math.ceil(limit)}`,
  );
  const startedMs = performance.now();
  const child = execa('/bin/sh', ['-c', LIMITED, 'sh', ...limits, ...command], {
    env: environment,
    extendEnv: false,
    stdio: ['pipe', output, 'pipe', onLine ? 'pipe' : 'ignore'],
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
    }
  };
  const listen = async (): Promise<void> => {
    const third = child.stdio[3];
    if (onLine && third instanceof Readable) for await (const line of linesOf(third)) onLine(line);
    onLine?.(null);
  };
  const outcome = Promise.all([child, read(), listen()]);
  const ended = async (): Promise<Ended> => {
    const [result] = await outcome;
    const exitCode = result.exitCode ?? null;
    if (NOT_STARTED.includes(exitCode ?? 0) || result.code === 'ENOENT') {
      throw new Error(`"${command[0]}" could not be started`, { cause: result.cause });
    }
    const told = result.signal === 'SIGXCPU' || exitCode === TOLD_TO_END;
    const mostSeconds = ((performance.now() - startedMs) / 1000) * availableParallelism();
    const overTime = told && mostSeconds >= cpuSeconds;
    const ending = { exitCode, killed: (told || result.signal !== undefined) && !overTime };
    if (overTime) {
      return { ...ending, complaint: `it takes more than ${cpuSeconds} s of processor time` };
    }
    if (lacksMemory) {
      const most = Math.round(memoryBytes / 1024 ** 2);
      return { ...ending, complaint: `it takes more than ${most} MB of memory` };
    }
    return { ...ending, complaint: complaint || (result.signal ? `${result.signal} came` : '') };
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    child.stdout?.destroy();
    await outcome;
  };
  const stdout = child.stdout instanceof Readable ? child.stdout : Readable.from([]);
  return { stdin: child.stdin, stdout, ended, stop };
};

/**
 * ffmpeg ends so after a signal that it could catch: the limit of time sends one, and so does whoever ends a whole group
 * of processes.
 */
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
    .replace(/\p{Cc}/gu, ' ')
    .replace(/\[[^\]]*\] */g, '')
    .replace(/(file:)?\/[^\s:]+:? ?/g, '')
    .replace(/\.$/, '')
    .slice(0, 200);
