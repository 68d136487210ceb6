/** A process of Triton that stands still for longer than the second that Triton waits, with a request and others behind it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { int32 } from '../../src/triton/protocol/tensor.ts';
import { testConfig } from '../real/config.ts';
import { serverOf, stubsOf } from '../real/processes.ts';
import { skip } from '../real/skip.ts';
import { ownTriton, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';

const test = suite('a process of Triton that stands still');
const triton = await ownTriton(['stamp']);
const transport = await openTransport(testConfig(tritonEnvironment(triton)).triton);
const { port } = new URL(triton.httpUrl);

const stub = (): number => stubsOf('stamp', port)[0] ?? 0;
const server = (): number => serverOf(port);

/** What came back for these two bytes; null while the model is away. */
const echo = async (bytes: Buffer): Promise<Buffer | null> => {
  const sent = { name: 'DATA', datatype: 'UINT8', shape: [2], data: bytes } as const;
  const wanted = [{ name: 'DATA', datatype: 'UINT8', shape: [2] }] as const;
  try {
    const { signal } = new AbortController();
    const [came] = await transport.infer('stamp', [sent, int32('SLEEP_MS', [200])], wanted, signal);
    return Buffer.from(came?.data ?? []);
  } catch (error) {
    if (error instanceof Failure && error.code === 'model_unavailable') return null;
    throw error;
  }
};

const what = 'no caller gets what another has asked for, Triton lives, and the process is replaced';
const replaced = async (): Promise<void> => {
  const [pid, ran] = [stub(), server()];
  let [asked, answered, isOver] = [0, 0, false];
  const caller = async (): Promise<void> => {
    while (!isOver) {
      asked += 1;
      const bytes = Buffer.from([asked >> 8, asked & 255]);
      const came = await echo(bytes);
      if (came) assert.equal([...came], [...bytes]);
      else await sleep(100);
      answered += came ? 1 : 0;
    }
  };
  const callers = Promise.all([caller(), caller(), caller()]);
  const meanwhile = (what: string, holds: () => boolean) =>
    Promise.race([callers, until(what, holds)]);
  try {
    await meanwhile('they are answered', () => answered >= 3);
    await sleep(3_000); // it needs a second to know its pulse
    process.kill(pid, 'SIGSTOP');
    await sleep(2_500);
    process.kill(pid, 'SIGCONT');
    await meanwhile('it is replaced', () => ![0, pid].includes(stub()));
    const before = answered;
    await meanwhile('the next one answers', () => answered >= before + 3);
  } finally {
    isOver = true;
  }
  await callers;
  assert.is(server(), ran);
};

/** Of the main thread of a process, whose id is that of the process, and of the others. */
const nicenessOf = (pid: number): { main: number; others: number[] } => {
  const of = (thread: number | string): number => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[17]);
  };
  const others = readdirSync(`/proc/${pid}/task`).filter((thread) => thread !== `${pid}`);
  return { main: of(pid), others: others.map(of) };
};

test('what computes gives way to the threads that say that the process lives', async () => {
  await until('it has answered', async () => (await echo(Buffer.alloc(2))) !== null);
  const { main, others } = nicenessOf(stub());
  const own = nicenessOf(server()).main;
  assert.is(main, own + 10);
  // Triton's thread that beats, which it starts first, and the one that looks at it.
  assert.ok(others.filter((niceness) => niceness === own).length >= 2, `${others}`);
});

// gVisor does not count how long a thread waits for a processor, and no process is guarded there.
if (existsSync('/proc/self/schedstat')) test(what, replaced);
else skip(test, what, 'a kernel with schedstat');

test.after(async () => {
  await transport.close();
  await triton.close();
});
test.run();
