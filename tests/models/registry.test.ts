import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { openRegistry } from '../../src/models/registry.ts';
import { added, promoted, reloaded, unloaded } from '../../src/models/state.ts';
import { openTrial } from '../../src/models/trial.ts';
import { openRedis } from '../../src/redis/connection.ts';
import { freshPrefix, realRedis } from '../real/redis.ts';
import { failure } from '../triton/promises.ts';

const test = suite('registry of releases');
const server = await realRedis();
const log = createLog('silent', 'test');
const redis = openRedis(server.url, log, 'work');
const form = { slot: 'photo', shipped: 'r1', tritonSlots: ['photo'] };
const open = () => {
  const stores = { redis, prefix: freshPrefix() };
  return { stores, registry: openRegistry(stores, [form]) };
};
const act = (action: string, release: string) => ({
  by: 'operator:me',
  action,
  release,
  detail: '',
});
const add = (name: string) => (state: Parameters<typeof added>[0]) =>
  added(state, name, { models: { photo: `photo__${name}` } });

test('a change is stored with who made it, and an unknown slot is told', async () => {
  const { registry } = open();
  await registry.change('photo', add('r2'), act('add', 'r2'));
  await registry.change('photo', (state) => promoted(state, 'r2', 1), act('promote', 'r2'));
  assert.is((await registry.read('photo')).stable, 'r2');
  const entries = await registry.log(10);
  assert.equal(
    entries.map(({ by, action, slot, release }) => [by, action, slot, release]),
    [
      ['operator:me', 'promote', 'photo', 'r2'],
      ['operator:me', 'add', 'photo', 'r2'],
    ],
  );
  await failure(registry.read('video'), 'not_found');
});

test('of two operators who promote at once one is refused, with what is stable now', async () => {
  const { registry } = open();
  await registry.change('photo', (state) => add('r3')(add('r2')(state)), null);
  const seen = await registry.read('photo');
  const promote = (name: string) =>
    registry.change('photo', (state) => promoted(state, name, 1), act('promote', name), seen);
  const ends = await Promise.allSettled([promote('r2'), promote('r3')]);
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  assert.is(refused.length, 1);
  assert.ok(refused[0] instanceof Failure && refused[0].code === 'models_changed');
  const { stable } = await registry.read('photo');
  assert.match(refused[0].message, `the stable release is photo@${stable}`);
  assert.is((await registry.log(10)).length, 1, 'what was refused is not in the log');
});

test('changes of other things at the same moment are all kept', async () => {
  const { registry } = open();
  const names = Array.from({ length: 8 }, (_, at) => `r${at + 2}`);
  await Promise.all(names.map((name) => registry.change('photo', add(name), null)));
  assert.equal(Object.keys((await registry.read('photo')).releases).sort(), ['r1', ...names]);
});

test('a release is closed when no unfinished job needs it, and open again once it is loaded', async () => {
  const { registry, stores } = open();
  const { prefix } = stores;
  await registry.change('photo', add('r2'), null);
  await redis.hset(`${prefix}:job:a`, 'release', 'photo@r2');
  await redis.hset(`${prefix}:job:b`, 'mirror', 'photo@r2');
  await redis.zadd(`${prefix}:queued`, 1, 'a');
  await redis.sadd(`${prefix}:processing`, 'b');
  assert.is(await registry.close('photo', 'r2'), 2);
  assert.equal(await redis.smembers(`${prefix}:models:closed`), []);
  await redis.del(`${prefix}:queued`, `${prefix}:processing`);
  assert.is(await registry.close('photo', 'r2'), 0);
  assert.equal(await redis.smembers(`${prefix}:models:closed`), ['photo@r2']);
  await registry.change('photo', (state) => unloaded(state, 'r2'), null);
  assert.equal(await redis.smembers(`${prefix}:models:closed`), ['photo@r2']);
  await registry.change('photo', (state) => reloaded(state, 'r2', 1), null);
  assert.equal(await redis.smembers(`${prefix}:models:closed`), []);
});

test('a release that is promoted at the same moment is not closed: new jobs would find none', async () => {
  const { registry, stores } = open();
  await registry.change('photo', add('r2'), null);
  const ends = await Promise.allSettled([
    registry.change('photo', (state) => promoted(state, 'r2', 1), null),
    registry.close('photo', 'r2'),
  ]);
  assert.equal(
    ends.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  await failure(registry.close('photo', 'r2'), 'release_refused');
  assert.equal(await redis.smembers(`${stores.prefix}:models:closed`), []);
});

test('a promoted release that keeps failing is taken back, and the log says why', async () => {
  const { registry } = open();
  await registry.change('photo', add('r2'), null);
  await registry.change('photo', (state) => promoted(state, 'r2', Date.now()), null);
  const index = [{ name: 'photo', state: 'READY' }];
  let isUp = true;
  const repositoryIndex = async () => {
    if (!isUp) throw new Failure('model_unavailable', { model: 'Triton' });
    return index;
  };
  const bounds = { errors: 3, errorPercent: 50, watchMs: 60_000 };
  const trial = openTrial({ registry, control: { repositoryIndex }, log, bounds });
  const broken = new Failure('inference_failed', { model: 'photo', reason: 'NaN' });
  const away = new Failure('model_unavailable', { model: 'photo' });
  assert.is(await trial.ended('photo@r2', broken), false);
  await trial.ended('photo@r2', new Failure('media_unreadable', { reason: 'the file' }));
  isUp = false;
  for (let times = 0; times < 5; times += 1) await trial.ended('photo@r2', away);
  isUp = true;
  await trial.ended('photo@r2', null);
  await trial.ended('photo@r2', away);
  assert.is(
    (await registry.read('photo')).stable,
    'r2',
    '2 failures, and none while Triton was away',
  );
  assert.is(await trial.ended('photo@r2', broken), true, 'it is taken back by now');
  const { stable, releases } = await registry.read('photo');
  assert.is(stable, 'r1');
  assert.match(releases.r2?.rejected ?? '', /3 of 4 attempts failed, the last one so: .*NaN/);
  assert.equal(
    (await registry.log(1)).map(({ by, action }) => [by, action]),
    [['service', 'rollback']],
  );
  assert.is(await trial.ended('photo@r1', broken), false);
  assert.is((await registry.read('photo')).stable, 'r1', 'a release that is not on trial stays');
});

test('of two workers that see a release fail at once one takes it back, and the log says so once', async () => {
  const { registry } = open();
  await registry.change('photo', add('r2'), null);
  await registry.change('photo', (state) => promoted(state, 'r2', Date.now()), null);
  const repositoryIndex = async () => [{ name: 'photo', state: 'READY' }];
  const bounds = { errors: 1, errorPercent: 50, watchMs: 60_000 };
  const broken = new Failure('inference_failed', { model: 'photo', reason: 'NaN' });
  const worker = () => openTrial({ registry, control: { repositoryIndex }, log, bounds });
  await Promise.all([worker(), worker()].map((trial) => trial.ended('photo@r2', broken)));
  assert.is((await registry.read('photo')).stable, 'r1');
  assert.is((await registry.log(10)).length, 1);
});

test.after(async () => {
  redis.disconnect();
  await server.close();
});

test.run();
