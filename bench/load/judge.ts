/** What the load did to the service, in figures, and what did not hold. */
import type { Job } from '../../src/contract/job.ts';
import { ended } from '../../tests/real/service.ts';
import { median, percentile } from '../bare.ts';
import { counts, type Offered } from './offer.ts';
import { type Kind, kindNames } from './processes.ts';

/** What was seen once a second. */
export type Sample = {
  readonly at_seconds: number;
  readonly queued: number;
  readonly loop_lag_p99_ms: number;
  /** How long Redis took to answer the API: each cheap call asks it several times. */
  readonly redis_ping_ms: number;
  readonly mib: Readonly<Record<Kind, number>>;
};

export type Outcome = {
  readonly offered: readonly Offered[];
  readonly light: readonly Offered[];
  readonly samples: readonly Sample[];
  readonly jobs: readonly Job[];
  /** Processes that ended under load, and differences in ledgers: one sentence each. */
  readonly found: readonly string[];
  readonly queueLimit: number;
};

const budgetMs = 200;
/**
 * The most memory in the last quarter of the time, beside the most in the second quarter: within 10 %, or within so many MiB.
 * Not the medians: a heap grows between two collections and falls at each, here by 140 MiB within a minute or two.
 */
const flatMiB = 32;

/** One sentence for each promise that was broken. */
export const faultsOf = ({
  offered,
  light,
  samples,
  jobs,
  found,
  queueLimit,
}: Outcome): string[] => {
  const longest = longestQueue(samples);
  const endless = jobs.filter((job) => !ended(job)).length;
  const failed = counts(jobs.flatMap(({ error }) => (error ? [error.code] : [])));
  const wrong = [...offered, ...light].filter(
    ({ status, code }) => status === 0 || (status >= 500 && code !== 'queue_full'),
  );
  const p99 = shareOf(light, 0.99);
  return [
    ...found,
    ...(longest > queueLimit ? [`the queue held ${longest} jobs, the limit is ${queueLimit}`] : []),
    ...grown(samples).map((kind) => `the memory of ${kind} grew`),
    ...(endless > 0 ? [`${endless} accepted jobs did not end`] : []),
    ...Object.entries(failed).map(([code, times]) => `${times} accepted jobs failed: ${code}`),
    ...Object.entries(counts(wrong.map(answerOf))).map(
      ([what, times]) => `${times} calls got ${what}`,
    ),
    ...(p99 < budgetMs ? [] : [`cheap calls took ${p99} ms at p99, the budget is ${budgetMs} ms`]),
  ];
};

/** All that is told at the end. */
export const figuresOf = ({ offered, light, samples, jobs, queueLimit }: Outcome) => ({
  offered: offered.length,
  accepted: jobs.length,
  jobs: counts(jobs.map(({ status, error }) => error?.code ?? status)),
  answers: counts(offered.map(answerOf)),
  accepted_by_work: counts(offered.filter(({ status }) => status < 300).map(({ what }) => what)),
  posts: times(offered.filter(({ status }) => status === 202)),
  refusals: times(offered.filter(({ status }) => status >= 400)),
  cheap: times(light),
  cheap_by_call: timesByCall(light),
  cheap_slow_seconds: slowSeconds(light),
  cheap_answers: counts(light.map(answerOf)),
  queue: { longest: longestQueue(samples), limit: queueLimit },
  api_loop_lag_p99_ms: Math.max(...samples.map((one) => one.loop_lag_p99_ms)),
  redis_ping: {
    median_ms: median(samples.map((one) => one.redis_ping_ms)),
    most_ms: Math.max(...samples.map((one) => one.redis_ping_ms)),
  },
  memory: Object.fromEntries(kindNames.map((kind) => [kind, memoryOf(samples, kind)])),
});

/** Calls and their times; null where there were none. */
export const times = (some: readonly Offered[]) => ({
  calls: some.length,
  p50_ms: shareOf(some, 0.5),
  p95_ms: shareOf(some, 0.95),
  p99_ms: shareOf(some, 0.99),
  max_ms: shareOf(some, 1),
});

/** The seconds in which calls were due that took longer than the budget, and the longest of each: one standstill, or many. */
export const slowSeconds = (some: readonly Offered[]): Record<number, number> => {
  const longest: Record<number, number> = {};
  for (const { dueMs, ms } of some) {
    if (ms <= budgetMs) continue;
    const second = Math.floor(dueMs / 1000);
    longest[second] = Math.max(longest[second] ?? 0, Math.round(ms));
  }
  return longest;
};

export const timesByCall = (some: readonly Offered[]) =>
  Object.fromEntries(
    [...new Set(some.map(({ what }) => what))].map((name) => [
      name,
      times(some.filter(({ what }) => what === name)),
    ]),
  );

const shareOf = (some: readonly Offered[], share: number): number =>
  Math.round(
    percentile(
      some.map(({ ms }) => ms),
      share,
    ),
  );

const answerOf = ({ status, code }: Offered): string => `${status} ${code}`.trim();

const longestQueue = (samples: readonly Sample[]): number =>
  Math.max(...samples.map(({ queued }) => queued));

const memoryOf = (samples: readonly Sample[], kind: Kind) => {
  const quarter = Math.floor(samples.length / 4);
  const of = (part: number): number =>
    Math.max(...samples.slice(part * quarter, (part + 1) * quarter).map(({ mib }) => mib[kind]));
  return {
    second_quarter_mib: of(1),
    last_quarter_mib: of(3),
    most_mib: Math.max(...samples.map(({ mib }) => mib[kind])),
  };
};

/** ffmpeg comes and goes: what it takes is no growth. */
const grown = (samples: readonly Sample[]): Kind[] =>
  kindNames.filter((kind) => {
    const { second_quarter_mib: second, last_quarter_mib: last } = memoryOf(samples, kind);
    return kind !== 'ffmpeg' && last > second * 1.1 && last > second + flatMiB;
  });
