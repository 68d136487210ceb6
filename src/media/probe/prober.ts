import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { niceness } from '../../process/niceness.ts';
import type { Admit } from '../../storage/write-all.ts';
import type { ChildLimits } from '../child-exit.ts';
import { AudioInfo, ImageInfo, VideoInfo } from '../info.ts';
import { withoutNetwork } from '../no-network.ts';
import { decodeFailed } from '../outcome.ts';
import { errorOf, FromProber, type ToProber } from './messages.ts';
import type { probeImage, VideoProbe } from './probe.ts';
import type { AudioProbe } from './probe-audio.ts';
import type { Rewrapping } from './rewrap.ts';

/** `probeImage`, `probeVideo`, `probeAudio` and `rewrap`, run in another process. They fail as there. */
export type Probes = {
  readonly probeImage: typeof probeImage;
  readonly probeVideo: (probe: VideoProbe) => Promise<VideoInfo>;
  readonly probeAudio: (probe: AudioProbe) => Promise<AudioInfo>;
  readonly rewrap: (rewrapping: Rewrapping) => Promise<void>;
};

export type Prober = {
  /** To be called one at a time. Failure decode_failed where the process ends meanwhile. */
  readonly probes: Probes;
  alive(): boolean;
  /** Ends the process and the decoders that it has started. */
  close(): Promise<void>;
};

export type Confines = Pick<ChildLimits, 'environment' | 'network'>;

/** `prober-process.ts`, compiled (stack/compiled.mjs). */
const PROGRAM = fileURLToPath(new URL('../../../dist/prober.js', import.meta.url));

/**
 * Starts a process that probes files for this one. It reads strangers' pictures itself (libvips), so it gets no more of
 * this one's environment and network than ffmpeg does.
 */
export const startProber = ({ environment, network }: Confines): Prober => {
  const node = [process.execPath, '--enable-source-maps'] as const;
  const [execPath, ...execArgv] = network === 'blocked' ? [...withoutNetwork(), ...node] : node;
  const child = fork(PROGRAM, { execPath, execArgv, env: environment, serialization: 'advanced' });
  if (child.pid !== undefined) setPriority(child.pid, niceness.probers);
  const gone = new AbortController();
  child.once('exit', (code, signal) => gone.abort(signal ?? `exit code ${code}`));
  child.on('error', (error) => gone.abort(error.message));
  const ask = asking(child, gone.signal);
  return {
    probes: {
      probeImage: (path) => ask({ is: 'image', path }, ImageInfo),
      probeVideo: ({ signal, ...probe }) => ask({ is: 'video', probe }, VideoInfo, { signal }),
      probeAudio: ({ signal, admit, ...probe }) =>
        ask({ is: 'audio', probe }, AudioInfo, { signal, admit }),
      rewrap: ({ signal, admit, ...rewrapping }) =>
        ask({ is: 'rewrap', rewrapping }, z.undefined(), { signal, admit }),
    },
    alive: () => child.connected && !gone.signal.aborted,
    close: async () => {
      if (child.connected) child.disconnect();
      if (!gone.signal.aborted) await once(gone.signal, 'abort');
    },
  };
};

type Means = { readonly signal?: AbortSignal; readonly admit?: Admit | undefined };

/** Sends a probe, and checks what comes back as anything that comes from outside. */
const asking =
  (child: ChildProcess, gone: AbortSignal) =>
  async <Info extends z.ZodType>(
    probe: ToProber,
    Info: Info,
    { signal, admit }: Means = {},
  ): Promise<z.output<Info>> => {
    signal?.throwIfAborted();
    // A process that has ended meanwhile needs no stop; `answerTo` says that it has.
    const stop = () => child.send(STOP, () => {});
    signal?.addEventListener('abort', stop);
    try {
      const answer = await answerTo(probe, admit, { child, gone });
      signal?.throwIfAborted();
      if (answer.is === 'failed') throw errorOf(answer);
      return Info.parse(answer.found);
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  };

const STOP: ToProber = { is: 'stop' };

type Line = { readonly child: ChildProcess; readonly gone: AbortSignal };

/** The answer to a probe; on the way there, what is to be written is admitted or refused. */
const answerTo = async (probe: ToProber, admit: Admit | undefined, line: Line) => {
  let refusal: { readonly error: unknown } | null = null;
  let answer = await say(probe, line);
  while (answer.is === 'admit') {
    try {
      await admit?.(answer.bytes);
    } catch (error) {
      refusal = { error };
    }
    answer = await say({ is: 'admitted', yes: refusal === null }, line);
  }
  if (refusal) throw refusal.error;
  return answer;
};

const say = async (message: ToProber, { child, gone }: Line): Promise<FromProber> => {
  try {
    const answered = once(child, 'message', { signal: gone });
    child.send(message);
    const [answer] = await answered;
    return FromProber.parse(answer);
  } catch (error) {
    if (!gone.aborted) throw error;
    throw decodeFailed(`the process that read it ended with ${gone.reason}`, error);
  }
};
