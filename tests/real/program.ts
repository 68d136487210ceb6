/** The programs that tests start in processes of their own, to be killed; compiled with the tests (runner/programs.ts). */
import { join } from 'node:path';
import { nodeOptions } from '../../src/stack/compiled.mjs';

/** Of each its file, below `tests`. */
export const programs = [
  'jobs/worker-process.ts',
  'media/killed-with-prober.ts',
  'walk/quick-worker.ts',
  'webhooks/deliverer-process.ts',
] as const;

/** The arguments of `node` for it. tests/run.ts tells where it lies. */
export const programOf = (file: (typeof programs)[number]): string[] => [
  ...nodeOptions,
  join(process.env.TEST_PROGRAMS ?? '', `tests-${file.replace('/', '-')}.js`),
];
