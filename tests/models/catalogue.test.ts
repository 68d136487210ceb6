import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../src/log.ts';
import { type CatalogueEntry, openCatalogue } from '../../src/models/catalogue.ts';
import { openRegistry } from '../../src/models/registry.ts';
import { added, promoted } from '../../src/models/state.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
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
/** A model that Triton does not tell of. */
let hidden = '';
const control = {
  ...triton.control,
  repositoryIndex: async () => {
    asked.push('index');
    const index = await triton.control.repositoryIndex();
    return index.filter(({ name }) => name !== hidden);
  },
  modelConfig: (name: string) => {
    asked.push(name);
    return triton.control.modelConfig(name);
  },
};
const log = createLog('silent', 'test');
const redis = await realRedis();
const connection = openRedis(redis.url, log, 'work');
const shipped = (slot: string, ...tritonSlots: string[]) => ({ slot, shipped: 'r1', tritonSlots });
const stores = { redis: connection, prefix: freshPrefix() };
const forms = [
  shipped('both', 'echo', 'other'),
  shipped('pictures', 'echo'),
  shipped('missing', 'echo', 'nope'),
];
const registry = openRegistry(stores, forms);
const open = () => openCatalogue(entries, { transport, control, registry, log, signal: never });

const offer = (image: string | null, video: string | null) => ({
  release: 'r1',
  alias: 'stable',
  percent: 0,
  mirror: 0,
  ready: image !== null || video !== null,
  versions: { image, video },
});

test('it tells each model with its releases for each kind of input and with its engine', async () => {
  assert.equal(await open().describe(), [
    {
      id: 'both',
      ready: true,
      engine: 'engine of other-r1',
      releases: { image: 'echo-r1+other-r1', video: 'echo-r1' },
      offered: [offer('echo-r1+other-r1', 'echo-r1')],
    },
    {
      id: 'pictures',
      ready: true,
      engine: 'numpy',
      releases: { image: 'echo-r1', video: null },
      offered: [offer('echo-r1', null)],
    },
    {
      id: 'missing',
      ready: false,
      engine: null,
      releases: { image: null, video: null },
      offered: [offer(null, null)],
    },
    {
      id: 'local',
      ready: true,
      engine: null,
      releases: { image: 'local-r7', video: 'local-r7' },
      offered: [],
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

test('a model that stays ready is asked for its config once; one that was away, again', async () => {
  const catalogue = open();
  const askedBy = async (look: () => Promise<unknown>) => {
    asked.length = 0;
    await look();
    return [...asked].sort();
  };
  assert.equal(await askedBy(catalogue.look), ['echo', 'index', 'other']);
  assert.equal(await askedBy(catalogue.look), ['index']);
  hidden = 'other';
  assert.equal(await askedBy(catalogue.look), ['index']);
  hidden = '';
  assert.equal(await askedBy(catalogue.look), ['index', 'other']);
});

test('a new release is told before what is known of the others is old, and asked for its engine once', async () => {
  const catalogue = open();
  await catalogue.describe();
  engines = 0;
  await catalogue.describe();
  assert.is(engines, 0);
  await triton.load('other__r2', 'other-r2');
  const models = { echo: 'echo', other: 'other__r2' };
  const second = await registry.change('both', (state) => added(state, 'r2', { models }), null);
  assert.is(second.stable, 'r1');
  await registry.change('both', (state) => promoted(state, 'r2', Date.now()), null);
  let state = (await catalogue.describe())[0];
  const isTold = async () => {
    state = (await catalogue.describe())[0];
    return state?.releases.image === 'echo-r1+other-r2';
  };
  // After 10 s all models are asked anew, and it would be told without being noticed.
  await until('the new release is told', isTold, 8_000);
  assert.equal([state?.engine, engines], ['engine of other-r2', 1]);
  await triton.unload('other__r2');
});

test('what another process changes is told at the next look', async () => {
  const catalogue = open();
  const offered = async () => {
    const states = await catalogue.describe();
    return states.find(({ id }) => id === 'pictures')?.offered.map(({ release }) => release);
  };
  assert.equal(await offered(), ['r1']);
  const models = { echo: 'echo' };
  await openRegistry(stores, forms).change(
    'pictures',
    (state) => added(state, 'r2', { models }),
    null,
  );
  assert.equal(await offered(), ['r1', 'r2']);
});

test('an answer of seconds ago is used while Triton is asked again', async () => {
  const catalogue = open();
  const isReady = async () =>
    (await catalogue.describe()).some(({ id, ready }) => id === 'pictures' && ready);
  assert.ok(await isReady());
  hidden = 'echo';
  await sleep(1_100);
  assert.ok(await isReady(), 'nobody waits for the new answer');
  await until('it has come', async () => !(await isReady()));
  hidden = '';
  await until('what is ready again is told', isReady);
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
  connection.disconnect();
  await redis.close();
  await transport.close();
  await triton.close();
});

test.run();
