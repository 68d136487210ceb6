import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realService } from '../real/service.ts';
import { attackAt, fuzz, fuzzSettings } from './fuzz/fuzz.ts';

const test = suite('generated attacks');
const inputs = 200;
/** A row that holds most of the faults which once ended or froze the service. */
const seed = Number(process.env.FUZZ_SEED || 170);
const jobShare = 0.5;

test('what a seed makes is the same each time', () => {
  const target = { upload: 'http://127.0.0.1/a', job: 'job_1', othersJob: 'job_2' };
  const samples = [
    { name: 'a.png', role: 'image' as const, bytes: Buffer.from('\x89PNG a picture of a kind') },
    { name: 'a.mp4', role: 'video' as const, bytes: Buffer.from('\0\0\0\x10ftypisom and a clip') },
    { name: 'a.mp3', role: 'audio' as const, bytes: Buffer.from('ID3 and a sound of some kind') },
  ];
  const plan = { seed, jobShare };
  for (let index = 0; index < inputs; index += 1) {
    const [one, again] = [1, 2].map(() => attackAt(plan, index, samples, target));
    assert.equal(one, again);
  }
});

test(`${inputs} requests of seed ${seed} are answered in time and leave no trace`, async () => {
  const service = await realService(fuzzSettings);
  try {
    const indexes = Array.from({ length: inputs }, (_, i) => i);
    const { found, ...figures } = await fuzz(service, { seed, indexes, jobShare, lanes: 6 });
    console.log(JSON.stringify(figures));
    const told = found.map(
      ({ index, kind, what, faults, kept }) =>
        `FUZZ_SEED=${seed}, input ${index} (${kind}: ${what}): ${faults.join('; ')}${kept ? ` (again: ${kept})` : ''}`,
    );
    assert.equal(told, []);
  } finally {
    await service.close();
  }
});

test.run();
