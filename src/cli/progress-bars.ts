import { basename } from 'node:path';
import { MultiBar, type SingleBar } from 'cli-progress';
import type { Job } from '../../client/contract.ts';

/** A bar on stderr for each job, when that is a terminal; otherwise only what is said. */
export const openBars = () => {
  if (!process.stderr.isTTY)
    return { add: () => () => {}, say: (text: string) => console.error(text), close: () => {} };
  const bars = new MultiBar({
    stream: process.stderr,
    format: '{bar} {percentage}% {stage} {frames} {left} {name}',
    hideCursor: true,
    clearOnComplete: false,
  });
  return {
    /** A bar that shows the job with each call. */
    add: (name: string) => {
      const bar = bars.create(100, 0, {
        name: basename(name),
        stage: 'sending',
        frames: '',
        left: '',
      });
      return (job: Job) => show(bar, job);
    },
    /** A line above the bars. */
    say: (text: string) => bars.log(`${text}\n`),
    close: () => bars.stop(),
  };
};

const show = (bar: SingleBar, job: Job): void => {
  const { status, progress, queue_position, queue_eta_seconds } = job;
  const { stage, percent, frames_done, frames_total, eta_seconds } = progress ?? {};
  const waits = queue_position === null ? status : `queued, place ${queue_position}`;
  bar.update(status === 'succeeded' ? 100 : (percent ?? 0), {
    stage: status === 'processing' ? (stage ?? status) : waits,
    frames: frames_total ? `${frames_done}/${frames_total}` : '',
    left: leftOf(queue_eta_seconds, 'until it starts') || leftOf(eta_seconds, 'left'),
  });
};

const leftOf = (seconds: number | null | undefined, until: string): string =>
  seconds ? `${Math.round(seconds)} s ${until}` : '';
