/** Probes callers' files, one at a time, for the process that started this one (`prober.ts`), and ends with it. */
import { EventEmitter, on, once } from 'node:events';
import { type FromProber, failedWith, type ToProber } from './messages.ts';
import { probeImage, probeVideo } from './probe.ts';
import { probeAudio } from './probe-audio.ts';
import { rewrap } from './rewrap.ts';

// It ends by this alone: a signal to the whole process group is for its parent, which finishes what is under way.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// `exit` kills the decoders (execa), however the parent has ended.
process.on('disconnect', () => process.exit());

const say = (message: FromProber) => process.send?.(message);
const replies = new EventEmitter();
let underWay = new AbortController();

const admit = async (bytes: number): Promise<void> => {
  const replied = once(replies, 'admitted');
  say({ is: 'admit', bytes });
  const [yes] = await replied;
  if (!yes) throw new Error('the bytes were not admitted; the parent knows why');
};

const probe = (message: ToProber, signal: AbortSignal): Promise<unknown> => {
  if (message.is === 'image') return probeImage(message.path);
  if (message.is === 'video') return probeVideo({ ...message.probe, signal });
  if (message.is === 'audio') return probeAudio({ ...message.probe, signal, admit });
  if (message.is === 'rewrap') return rewrap({ ...message.rewrapping, signal, admit });
  throw new Error(`expected a probe; got ${message.is}`);
};

const answer = async (message: ToProber): Promise<void> => {
  underWay = new AbortController();
  try {
    say({ is: 'found', found: await probe(message, underWay.signal) });
  } catch (error) {
    say(failedWith(error));
  }
};

for await (const [received] of on(process, 'message')) {
  const message: ToProber = received;
  if (message.is === 'stop') underWay.abort();
  else if (message.is === 'admitted') replies.emit('admitted', message.yes);
  else void answer(message);
}
