import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { untilServing } from '../../src/stack/serving.ts';
import { type Serving, serve } from '../media/server.ts';

const servers: Serving[] = [];
test.after(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

/** A service that answers with these, one after the other, what it lacks; [] when it is ready. */
const answering = async (...answers: readonly (readonly string[])[]) => {
  let at = 0;
  const server = await serve((_, answer) => {
    const missing = answers[Math.min(at, answers.length - 1)] ?? [];
    at += 1;
    const body = JSON.stringify({ ready: missing.length === 0, missing });
    answer.writeHead(missing.length === 0 ? 200 : 503).end(body);
  });
  servers.push(server);
  return server.origin;
};

test('what the service waits for is said once, and again when it changes', async () => {
  const full = ['the disk is nearly full'];
  const both = ['the model photo is not ready', ...full];
  const origin = await answering(both, both, full, full, []);
  const said: string[] = [];
  await untilServing(origin, (line) => said.push(line), { quietMs: -1 });
  assert.equal(said, [
    'not ready yet: the model photo is not ready; the disk is nearly full',
    'not ready yet: the disk is nearly full',
  ]);
});

test('a usual start says nothing, and one that never ends gives up and says why', async () => {
  const said: string[] = [];
  const tell = (line: string) => void said.push(line);
  await untilServing(await answering(['the model photo is not ready'], []), tell);
  const stuck = await answering(['the disk is nearly full']);
  const { message } = await untilServing(stuck, tell, { withinMs: 300 }).then(
    () => assert.unreachable(),
    (error) => error,
  );
  assert.is(message, 'The stack was not ready within 0.3 s: the disk is nearly full');
  assert.equal(said, []);
});

test.run();
