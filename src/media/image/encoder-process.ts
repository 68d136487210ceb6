/** Encodes one picture for the process that started this one (`encode.ts`), and ends with it. */
import { once } from 'node:events';
import { asFailure } from '../../errors.ts';
import type { Encoded, ToEncoder } from './encoder-messages.ts';
import { encodeImage } from './picture.ts';

// A signal to the whole process group is for its parent, which kills it when the picture is not wanted any more.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// `exit` would wait until libvips is done.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const encode = async ({ picture, bytes, encoding }: ToEncoder): Promise<Encoded> => {
  try {
    const pixels = Buffer.allocUnsafeSlow(bytes);
    let at = 0;
    for await (const chunk of process.stdin) at += chunk.copy(pixels, at);
    if (at !== bytes) throw new Error(`expected ${bytes} bytes of pixels; got ${at}`);
    await encodeImage({ ...picture, pixels }, encoding);
    return { failed: null };
  } catch (error) {
    return { failed: String(asFailure(error).facts.reason ?? error) };
  }
};

const [message] = await once(process, 'message');
process.send?.(await encode(message), () => process.exit());
