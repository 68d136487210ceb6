/** Writes pictures so that it can be stopped: libvips cannot be, so a process of its own encodes a large one. Decision 40. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ImageFormat } from '../../contract/media.ts';
import { Failure } from '../../errors.ts';
import type { Picture } from '../../frame.ts';
import type { ChildLimits } from '../child-exit.ts';
import { withoutNetwork } from '../no-network.ts';
import { Encoded, type ToEncoder } from './encoder-messages.ts';
import { encodeImage, type ImageEncoding } from './picture.ts';

type Confines = Pick<ChildLimits, 'environment' | 'network'> & { readonly signal: AbortSignal };

/** Encoding this many pixels takes up to half a second. A process of its own takes 0.2 s more. */
const QUICK_PIXELS: Readonly<Record<ImageFormat, number>> = {
  png: 8_000_000,
  jpeg: 16_000_000,
  webp: 4_000_000,
  avif: 500_000,
};
/** Larger pictures are encoded one at a time: webp and avif take up to 40 bytes per pixel, 10 GB for 256 megapixels. */
const LARGE_PIXELS = 64_000_000;

/** `encoder-process.ts`, compiled (stack/compiled.mjs). */
const PROGRAM = fileURLToPath(new URL('../../../dist/encoder.js', import.meta.url));

/** As `encodeImage`; on abort a large picture's encoder is killed, and the reason of the signal thrown. */
export const encodeStoppably = async (
  picture: Picture,
  encoding: ImageEncoding,
  confines: Confines,
): Promise<void> => {
  const pixels = picture.width * picture.height;
  if (pixels <= QUICK_PIXELS[encoding.format]) return encodeImage(picture, encoding);
  const encode = () => encodeApart(picture, encoding, confines);
  return pixels > LARGE_PIXELS ? alone(encode) : encode();
};

let previous: Promise<unknown> = Promise.resolve();

/** Runs the work when the previous one has ended, whether or not that failed. */
const alone = <T>(work: () => Promise<T>): Promise<T> => {
  const result = previous.then(work, work);
  previous = result;
  return result;
};

const encodeApart = async (
  { pixels, ...picture }: Picture,
  encoding: ImageEncoding,
  { environment, network, signal }: Confines,
): Promise<void> => {
  signal.throwIfAborted();
  const node = [process.execPath, '--enable-source-maps'] as const;
  const [execPath, ...execArgv] = network === 'blocked' ? [...withoutNetwork(), ...node] : node;
  const child = fork(PROGRAM, {
    execPath,
    execArgv,
    env: environment,
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  try {
    const message: ToEncoder = { picture, bytes: pixels.length, encoding };
    const { failed } = await answerOf(child, message, pixels);
    if (failed !== null) throw new Failure('encode_failed', { reason: failed });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', kill);
  }
};

const answerOf = async (
  child: ChildProcess,
  message: ToEncoder,
  pixels: Buffer,
): Promise<Encoded> => {
  const gone = new AbortController();
  const ended = (how: string) => gone.abort(new Error(`the encoder ended with ${how}`));
  child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`));
  child.on('error', (error) => ended(error.message));
  // Its exit says why the pipe broke; without a listener this error would end the process.
  child.stdin?.on('error', () => {});
  try {
    const answered = once(child, 'message', { signal: gone.signal });
    child.send(message);
    child.stdin?.end(pixels);
    const [answer] = await answered;
    return Encoded.parse(answer);
  } catch (cause) {
    if (!gone.signal.aborted) throw cause;
    const { message: reason } = Object(gone.signal.reason);
    throw new Failure('encode_failed', { reason }, { cause });
  }
};
