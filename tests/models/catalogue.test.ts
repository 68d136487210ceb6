import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/log.ts';
import { type CatalogueEntry, openCatalogue } from '../../src/models/catalogue.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { never } from '../triton/promises.ts';
import { echoSlot, openRepository } from './repository.ts';

const test = suite('catalogue');
const triton = await openRepository();
const transport = await openTransport(triton.config);
await triton.load('echo', 'echo-r1');
await triton.load('other', 'other-r1');

const [echo, other] = [echoSlot('echo'), echoSlot('other')];
let engines = 0;
const entries: readonly CatalogueEntry[] = [
  {
    id: 'both',
    slots: { image: [echo, other], video: [echo] },
    engine: async (models) => {
      engines += 1;
      return `engine of ${models.of('other').release}`;
    },
  },
  { id: 'pictures', slots: { image: [echo], video: [] }, engine: () => 'numpy' },
  { id: 'missing', slots: { image: [echo, echoSlot('nope')], video: [echo] } },
  { id: 'local', slots: { image: [], video: [] }, release: 'local-r7' },
];
const asked: string[] = [];
const control = {
  ...triton.control,
  repositoryIndex: () => {
    asked.push('index');
    return triton.control.repositoryIndex();
  },
  modelConfig: (name: string) => {
    asked.push(name);
    return triton.control.modelConfig(name);
  },
};
const log = createLog('silent', 'test');
const open = () => openCatalogue(entries, { transport, control, log, signal: never });

test('it tells each model with a release for each kind of input and with its engine', async () => {
  assert.equal(await open().describe(), [
    {
      id: 'both',
      ready: true,
      releases: { image: 'echo-r1+other-r1', video: 'echo-r1' },
      engine: 'engine of other-r1',
    },
    {
      id: 'pictures',
      ready: true,
      releases: { image: 'echo-r1', video: null },
      engine: 'numpy',
    },
    { id: 'missing', ready: false, releases: { image: null, video: null }, engine: null },
    {
      id: 'local',
      ready: true,
      releases: { image: 'local-r7', video: 'local-r7' },
      engine: null,
    },
  ]);
});

test('many who ask at once have Triton asked each question once', async () => {
  asked.length = 0;
  const catalogue = open();
  const [first, second] = await Promise.all([catalogue.describe(), catalogue.describe()]);
  assert.equal(first, second);
  assert.equal(asked.sort(), ['echo', 'index', 'other']);
});

test('a new release is told within two seconds, and asked for its engine once', async () => {
  const catalogue = open();
  await catalogue.describe();
  engines = 0;
  await catalogue.describe();
  assert.is(engines, 0);
  await triton.load('other__r2', 'other-r2');
  const until = performance.now() + 2_000;
  let state = (await catalogue.describe())[0];
  while (state?.releases.image !== 'echo-r1+other-r2') {
    assert.ok(performance.now() < until, `${state?.releases.image} after two seconds`);
    await new Promise((done) => setTimeout(done, 50));
    state = (await catalogue.describe())[0];
  }
  assert.equal([state.engine, engines], ['engine of other-r2', 1]);
  await triton.unload('other__r2');
});

test('when Triton is away only what needs no Triton is ready', async () => {
  await triton.kill();
  const ready = (await open().describe()).filter((state) => state.ready);
  assert.equal(
    ready.map(({ id }) => id),
    ['local'],
  );
});

test.after(async () => {
  await transport.close();
  await triton.close();
});

test.run();
