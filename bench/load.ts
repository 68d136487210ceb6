/**
 * Offers ten times the jobs that the machine can do, for minutes, and cheap calls beside them. Tells what was accepted and
 * refused, how long cheap calls took, memory and queue over time, and how every accepted job ended.
 * Ends with 1 unless: no process died, the queue stayed within QUEUE_LIMIT, memory stayed flat, every accepted job
 * succeeded, every ledger is right, and 99 of 100 cheap calls took less than 200 ms.
 * usage: node --import tsx bench/load.ts [--seconds 300] [--times 10] [--accounts 8] [--cheap 20]
 *        --times: how often the measured capacity is offered; --cheap: cheap calls a second
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { tell } from './bare.ts';
import { faultsOf, figuresOf, type Sample, slowSeconds, times, timesByCall } from './load/judge.ts';
import { offer } from './load/offer.ts';
import { openTarget } from './load/target.ts';
import { makeWorks } from './load/works.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    times: { type: 'string', default: '10' },
    accounts: { type: 'string', default: '8' },
    cheap: { type: 'string', default: '20' },
  },
});
const lastWithinMs = 15 * 60_000;

const work = await makeWorks();
const target = await openTarget(work, Number(values.accounts));
const { service } = target;
const perSecond = await target.capacity();
const rate = perSecond * Number(values.times);
tell({
  bench: 'load',
  capacity_per_second: perSecond.toFixed(2),
  offered_per_second: rate.toFixed(2),
});

const cheap = await target.cheapCalls();
const cheapAt = (index: number) => {
  // Neither one account nor one kind of call after the other.
  const call = cheap[(index * 7) % cheap.length];
  if (!call) throw new Error('there are no cheap calls');
  return call;
};

const startedMs = performance.now();
const atSeconds = () => Math.round((performance.now() - startedMs) / 1000);
const watch = async (until: AbortSignal): Promise<Sample[]> => {
  const samples: Sample[] = [];
  while (!until.aborted) {
    const now = { at_seconds: atSeconds(), ...(await target.sample()) };
    samples.push(now);
    if (samples.length % 10 === 0) tell({ bench: 'load', ...now });
    await sleep(1000);
  }
  return samples;
};

const found: string[] = [];
void service.api.exited.then((how) => found.push(`the API ended: ${how}`));
void service.worker.ended().then((how) => found.push(`the worker ended: ${how}`));

const own = monitorEventLoopDelay();
own.enable();
const until = AbortSignal.timeout(Number(values.seconds) * 1000);
const [offered, light, samples] = await Promise.all([
  offer({
    perSecond: rate,
    until,
    next: (index) => ({ what: work(index).what, send: () => target.post(index) }),
  }),
  offer({ perSecond: Number(values.cheap), until, next: cheapAt }),
  watch(until),
]);
own.disable();
tell({
  bench: 'load',
  answers_came_seconds: atSeconds(),
  cheap: times(light),
  cheap_by_call: timesByCall(light),
  cheap_slow_seconds: slowSeconds(light),
});

await target.allEnded(lastWithinMs);
const jobs = await target.jobs();
found.push(...(await target.differences()));
const queueLimit = Number(target.settings.QUEUE_LIMIT);
const outcome = { offered, light, samples, jobs, found: [...found], queueLimit };
const faults = faultsOf(outcome);
tell({
  bench: 'load',
  seconds: Number(values.seconds),
  ...figuresOf(outcome),
  // Of this process, which sends and measures: what it stood still is in the times above.
  bench_loop_lag_p99_ms: Math.round(own.percentile(99) / 1e6),
  all_ended_seconds: atSeconds(),
  faults,
});
await service.close();
process.exit(faults.length === 0 ? 0 : 1);
