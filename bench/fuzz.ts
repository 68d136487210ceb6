/**
 * Thousands of generated requests against a service of its own: what did not hold, and what it cost the service.
 * One line of JSON for each fault, and one at the end with the figures.
 * usage: npx tsx bench/fuzz.ts [--inputs 5000] [--seed N] [--minutes M] [--only INDEX,…] [--without-models]
 *        --only sends these inputs of the seed alone; --without-models needs no Triton and makes no jobs
 */
import { parseArgs } from 'node:util';
import { fuzz, fuzzSettings } from '../tests/attack/fuzz/fuzz.ts';
import { realService } from '../tests/real/service.ts';
import { realTriton } from '../tests/real/triton.ts';
import { tell } from './bare.ts';

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 32) },
    minutes: { type: 'string' },
    only: { type: 'string' },
    lanes: { type: 'string', default: '6' },
    'without-models': { type: 'boolean', default: false },
  },
});
const withoutModels = values['without-models'];
const nowhere = {
  httpUrl: 'http://127.0.0.1:9',
  grpcUrl: '127.0.0.1:9',
  adminSecret: 'none',
  close: async () => {},
};
const service = await realService(
  { ...fuzzSettings, ...(withoutModels && { TRITON_TRANSPORT: 'http' }) },
  withoutModels ? Promise.resolve(nowhere) : realTriton(),
);
const from = performance.now();
const { found, ...figures } = await fuzz(service, {
  seed: Number(values.seed),
  indexes:
    values.only?.split(',').map(Number) ??
    Array.from({ length: Number(values.inputs) }, (_, i) => i),
  jobShare: withoutModels ? 0 : 0.3,
  lanes: Number(values.lanes),
  expected: withoutModels ? ['model_unavailable'] : [],
  ...(values.minutes && { until: AbortSignal.timeout(Number(values.minutes) * 60_000) }),
});
for (const one of found) tell(one);
tell({
  bench: 'fuzz',
  ...figures,
  seconds: Math.round((performance.now() - from) / 1000),
  found: found.length,
});
await service.close();
process.exit(found.length === 0 ? 0 : 1);
