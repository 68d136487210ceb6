import type { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
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
  /** The first thing that ffmpeg said went wrong (what follows is less exact), without paths and addresses. */
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

/**
 * Starts one ffmpeg; no other file of this folder starts a process. The child is killed on abort,
 * and its broken pipes end it when this process is killed. `onLine` gets each line it writes on stderr, then null.
 * With `output` it writes there, and `stdout` gives nothing.
 */
export const startFfmpeg = (
  { path }: Config['ffmpeg'],
  args: readonly string[],
  signal: AbortSignal,
  onLine: (line: string | null) => void = () => {},
  output: Socket | 'pipe' = 'pipe',
): Ffmpeg => {
  signal.throwIfAborted();
  const globals = ['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'repeat+level+info'];
  const child = execa(path, [...globals, '-max_alloc', String(MAX_ALLOC_BYTES), ...args], {
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
  const read = async (): Promise<void> => {
    for await (const line of createInterface({ input: child.stderr })) {
      if (/\[(error|fatal|panic)\]/.test(line)) complaint ||= tidy(line);
      onLine(line);
    }
    onLine(null);
  };
  const outcome = Promise.all([child, read()]);
  const ended = async (): Promise<Ended> => {
    const [{ exitCode, code, cause }] = await outcome;
    if (code === 'ENOENT' || code === 'EACCES') {
      throw new Error(`ffmpeg could not be started as "${path}"`, { cause });
    }
    return { exitCode: exitCode ?? null, complaint };
  };
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    child.stdout?.destroy();
    await outcome;
  };
  return { stdin: child.stdin, stdout: child.stdout ?? Readable.from([]), ended, stop };
};

/** "[mov @ 0x55] [error] file:/a/b: Invalid data" as a caller may read it: "Invalid data". */
const tidy = (line: string): string =>
  line
    .replace(/\[[^\]]*\] */g, '')
    .replace(/(file:)?\/[^\s:]+:? ?/g, '')
    .replace(/\.$/, '')
    .slice(0, 200);
