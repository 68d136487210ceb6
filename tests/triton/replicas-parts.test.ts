/** The parts of the replicas that need no server. */
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { createLog } from '../../src/log.ts';
import { addressesOf } from '../../src/triton/replicas/addresses.ts';
import { leastPending, serversWith } from '../../src/triton/replicas/choose.ts';
import { differencesOf, openComparison } from '../../src/triton/replicas/comparison.ts';
import { openEjection } from '../../src/triton/replicas/ejection.ts';
import { mergedIndex } from '../../src/triton/replicas/merged.ts';
import type { ReplicaState } from '../../src/triton/replicas/replica.ts';
import { openReplicas } from '../../src/triton/replicas/replicas.ts';
import { testConfig } from '../real/config.ts';
import { failure } from './promises.ts';

const test = suite('parts of the replicas');

type Told = Partial<ReplicaState> & {
  readonly releases?: Readonly<Record<string, string>>;
  readonly index?: readonly { name: string; state?: string }[];
  readonly inDoubt?: readonly string[];
};
/** A server as the choice sees it. */
const server = (name: string, told: Told = {}) => {
  const { releases = {}, index = [], inDoubt = [], ...rest } = told;
  const ready = new Set(Object.keys(releases));
  const state = { healthy: true, pending: 0, ejectedUntil: null, lastError: null, ready, ...rest };
  return {
    name,
    state: () => state,
    index: () => index,
    releaseOf: (model: string) => releases[model],
    doubts: (model: string) => inDoubt.includes(model),
  };
};
const names = (servers: readonly { readonly name: string }[]) => servers.map(({ name }) => name);

test('an ejection lasts about 1, 2, 4 and 8 s, then always about 10 s', () => {
  const ejection = openEjection(() => 0.5);
  let now = 0;
  const lengths = [1000, 2000, 4000, 8000, 10_000, 10_000].map(() => {
    assert.ok(ejection.failed(now));
    const until = ejection.until(now) ?? 0;
    const length = until - now;
    assert.is(ejection.failed(until - 1), false, 'a failure within it does not prolong it');
    assert.is(ejection.until(until), null);
    now = until;
    return length;
  });
  assert.equal(lengths, [1000, 2000, 4000, 8000, 10_000, 10_000]);
});

test('after a minute without a failure an ejection is short again', () => {
  const ejection = openEjection(() => 0.5);
  ejection.failed(0);
  ejection.failed(1000);
  ejection.failed(3000 + 60_001);
  assert.is(ejection.until(3000 + 60_001), 3000 + 61_001);
});

test('chance moves the end of an ejection by a quarter of its length', () => {
  for (const [random, end] of [
    [0, 750],
    [1, 1250],
  ] as const) {
    const ejection = openEjection(() => random);
    ejection.failed(0);
    assert.is(ejection.until(0), end);
  }
});

test('only servers that have the model are asked for it', () => {
  const servers = [
    server('a', { releases: { photo: 'r1' } }),
    server('b', { releases: { detail: 'r1' } }),
    server('c', { releases: { photo: 'r1', detail: 'r1' } }),
  ];
  assert.equal(names(serversWith('photo', servers)), ['a', 'c']);
  assert.equal(names(serversWith('detail', servers)), ['b', 'c']);
  assert.equal(serversWith('nope', servers), []);
});

test('of two releases under one name only that of the first listed server is used, also while it is away', () => {
  const second = server('b', { releases: { photo: 'r2' } });
  for (const healthy of [true, false]) {
    const first = server('a', { releases: { photo: 'r1' }, healthy });
    assert.equal(names(serversWith('photo', [first, second])), ['a']);
  }
});

test('the fewest requests decide; a server in doubt, or that does not answer, is asked only when all are such', () => {
  const busy = server('busy', { pending: 3 });
  const idle = server('idle', { pending: 1 });
  const doubted = server('doubted', { inDoubt: ['photo'] });
  const away = server('away', { healthy: false });
  const all = [away, busy, idle, doubted];
  assert.is(leastPending('photo', all)?.name, 'idle');
  assert.is(leastPending('detail', all)?.name, 'doubted');
  assert.is(leastPending('photo', [away, doubted])?.name, 'doubted');
  assert.is(leastPending('photo', [away])?.name, 'away');
  assert.is(leastPending('photo', []), undefined);
  const twins = [server('one'), server('two')];
  assert.is(leastPending('photo', twins)?.name, 'one');
});

test('the merged index has each model once, in its best state', () => {
  const of = (entries: Record<string, string | undefined>) =>
    Object.entries(entries).map(([name, state]) => ({ name, ...(state && { state }) }));
  const merged = mergedIndex([
    server('a', { index: of({ one: 'LOADING', two: 'READY', three: undefined, four: 'LOADING' }) }),
    server('b', { index: of({ one: 'READY', two: 'UNAVAILABLE', three: 'UNLOADING' }) }),
    server('away', { healthy: false, index: of({ one: 'READY', five: 'READY', six: undefined }) }),
  ]);
  assert.equal(
    merged.map(({ name, state }) => `${name} ${state}`),
    [
      'one READY',
      'two READY',
      'three UNLOADING',
      'four LOADING',
      'five UNAVAILABLE',
      'six undefined',
    ],
  );
  assert.match(merged[4]?.reason ?? '', 'away');
});

test('without a server that answers there is no index, and the failure says why', () => {
  const none = [server('a', { healthy: false, lastError: 'ECONNREFUSED' })];
  for (const [servers, why] of [
    [none, /a: ECONNREFUSED/],
    [[], /there are none/],
  ] as const) {
    assert.throws(
      () => mergedIndex(servers),
      (error: unknown) =>
        error instanceof Failure &&
        error.code === 'model_unavailable' &&
        why.test(String(error.cause)),
    );
  }
});

test('a replica that lacks a model, or has another release of it, is found', () => {
  const servers = [
    server('a', { releases: { photo: 'r1', detail: 'r1' } }),
    server('b', { releases: { photo: 'r2' } }),
    server('away', { healthy: false }),
  ];
  assert.equal(differencesOf(servers), [
    { replica: 'a', missing: [], otherRelease: [] },
    { replica: 'b', missing: ['detail'], otherRelease: ['photo'] },
  ]);
});

test('a difference is logged once, when it has lasted for two comparisons', async () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) });
  const with1 = server('a', { releases: { photo: 'r1' } });
  const without = server('b');
  let servers = [with1, without];
  const compare = openComparison(() => servers, log);
  await compare();
  assert.is(lines.length, 0);
  for (let i = 0; i < 3; i += 1) await compare();
  assert.is(lines.length, 1);
  const { replica, missing, otherRelease } = JSON.parse(lines[0] ?? '');
  assert.equal(
    { replica, missing, otherRelease },
    { replica: 'b', missing: ['photo'], otherRelease: [] },
  );
  servers = [with1];
  await compare();
  servers = [with1, without];
  for (let i = 0; i < 3; i += 1) await compare();
  assert.is(lines.length, 1, 'a replica that was away for a moment is no news');
});

test('replicas that nobody answers for make no service fail to start, only its models', async () => {
  const { triton } = testConfig({
    TRITON_HTTP_URL: 'http://127.0.0.1:9,http://127.0.0.1:11',
    TRITON_GRPC_URL: '127.0.0.1:9,127.0.0.1:11',
  });
  const replicas = await openReplicas(triton, createLog('silent', 'test'));
  const { signal } = new AbortController();
  const asked = replicas.transport.infer('photo', [], [], signal);
  const refused = /127\.0\.0\.1:9 .*ECONNREFUSED.*127\.0\.0\.1:11 /;
  assert.match(String((await failure(asked, 'model_unavailable')).cause), refused);
  await failure(replicas.control.repositoryIndex(), 'model_unavailable');
  await failure(replicas.control.modelConfig('photo'), 'model_unavailable');
  await replicas.close();
});

const found = (...ips: readonly (readonly [string, number])[]) =>
  addressesOf(
    testConfig({
      TRITON_DISCOVERY: 'dns',
      TRITON_HTTP_URL: 'http://triton.local:8700',
      TRITON_GRPC_URL: 'triton.local:8701',
    }).triton,
    async () => ips.map(([address, family]) => ({ address, family })),
  )();

test('each address of the host name is a replica, in an order that does not change', async () => {
  assert.equal(await found(['10.0.0.2', 4], ['10.0.0.1', 4]), [
    { httpUrl: 'http://10.0.0.1:8700', grpcUrl: '10.0.0.1:8701' },
    { httpUrl: 'http://10.0.0.2:8700', grpcUrl: '10.0.0.2:8701' },
  ]);
});

test('a replica with an IPv4 and an IPv6 address counts once; IPv6 alone is used', async () => {
  assert.equal((await found(['fd00::1', 6], ['10.0.0.1', 4])).length, 1);
  assert.equal(await found(['fd00::1', 6]), [
    { httpUrl: 'http://[fd00::1]:8700', grpcUrl: '[fd00::1]:8701' },
  ]);
});

test.run();
