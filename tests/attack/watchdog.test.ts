import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realApi } from '../http/api.ts';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';

const test = suite('the watchdog of the event loop');
const lines: string[] = [];
const sink = new PassThrough();
sink.on('data', (chunk) => lines.push(...String(chunk).split('\n').filter(Boolean)));
const api = await realApi({}, realRedis(), pino({ level: 'warn' }, sink));
const { http } = await api.caller();
const { describe } = api.parts.models;

const blockFor = (ms: number) => {
  api.parts.models.describe = async () => {
    const end = performance.now() + ms;
    while (performance.now() < end);
    return describe();
  };
};
const blocks = () =>
  lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'the event loop was blocked');

test.before.each(async () => {
  // What starting took is over.
  await sleep(300);
  lines.length = 0;
});

test('a block of more than 200 ms is logged with the route that ran', async () => {
  blockFor(400);
  await http.get('/v1/models', { headers: { 'x-request-id': 'the-culprit' } });
  const culprit = () =>
    blocks().find(({ requests }) =>
      requests.some((request: { request_id: string }) => request.request_id === 'the-culprit'),
    );
  await until('it is logged', () => culprit() !== undefined);
  const block = culprit();
  assert.equal(block.requests[0], {
    method: 'GET',
    route: '/v1/models',
    request_id: 'the-culprit',
  });
  assert.ok(block.blocked_ms >= 350, block.blocked_ms);
  assert.ok(block.cpu_ms > 0);
});

test('what is short, or waits without blocking, is not logged', async () => {
  blockFor(50);
  const held = { headers: { 'x-request-id': 'held' } };
  await http.get('/v1/models', held);
  api.parts.models.describe = async () => {
    await sleep(600);
    return describe();
  };
  await http.get('/v1/models', held);
  await sleep(50);
  // The machine may have been busy with others; then the processor did little for us meanwhile.
  assert.equal(
    blocks().filter(({ cpu_ms }) => cpu_ms > 200),
    [],
  );
});

test.after(api.close);
test.run();
