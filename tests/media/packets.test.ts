import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPackets } from '../../src/media/probe/packets.ts';

async function* lines(...texts: string[]) {
  yield* texts.flatMap((text) => text.split('\n'));
}
const head = '#tb 0: 1/12800\n#dimensions 0: 320x180\n#sar 0: 1/1\n#tb 1: 1/44100';
const packet = (stream: number, dts: number, pts: number, duration: number, flags = '') =>
  `${stream}, ${dts}, ${pts}, ${duration}, 100, 0x937f482c${flags}`;
const NO_TIME = -(2 ** 63);

const test = suite('packets');

test('reordered packets of a constant rate', async () => {
  const [video, sound] = await readPackets(
    lines(head, packet(0, -1024, 0, 512), packet(0, -512, 1536, 512, ', F=0x0')),
  );
  assert.is(sound?.packets, 0);
  assert.equal(video?.timeBase, { num: 1, den: 12800 });
  const more = lines(
    head,
    packet(0, -1024, 0, 512),
    packet(1, -1024, -1024, 1024, ', F=0x5, S=1, Skip Samples, 10, 0x00240004'),
    packet(0, -512, 1024, 512, ', F=0x0'),
    packet(0, 0, 512, 512, ', F=0x0'),
    packet(1, 0, 0, 1024),
  );
  const [steady, primed] = await readPackets(more);
  assert.is(steady?.packets, 3);
  assert.is(steady?.keyBytes, 100);
  assert.equal([steady?.start, steady?.end, steady?.lastSeconds], [0, 0.12, 0.04]);
  assert.ok(steady?.constantRate);
  assert.equal([primed?.packets, primed?.start], [1, 0], 'what is discarded is not counted');
});

test('an uneven spacing is a variable rate, the rounding of a clock is not', async () => {
  const rate = async (...times: number[]) => {
    const packets = times.map((time) => packet(0, time, time, 33));
    const [track] = await readPackets(lines('#tb 0: 1/1000', ...packets));
    return track?.constantRate;
  };
  assert.ok(await rate(0, 33, 67, 100, 133, 167));
  assert.not(await rate(0, 33, 67, 200, 233, 267));
  assert.ok(await rate(7));
});

test('packets of two fields of a picture count as one, and the sound is left as it is', async () => {
  const fields = [0, 10, 40, 50, 80, 90].map((pts) => packet(0, pts, pts, 10));
  const sounds = [0, 10, 20].map((pts) => packet(1, pts, pts, 10));
  const all = lines('#tb 0: 1/1000\n#tb 1: 1/1000', ...fields, ...sounds);
  const [video, sound] = await readPackets(all, { leastSeconds: 0.024 });
  assert.equal([video?.packets, video?.end, video?.lastSeconds], [3, 0.12, 0.04]);
  assert.ok(video?.constantRate);
  assert.equal([sound?.packets, sound?.end], [3, 0.03]);
});

test('decoding times stand in where packets have no time of their own', async () => {
  const packets = [0, 1, 2, 3].map((dts) => packet(0, dts, dts === 1 ? NO_TIME : dts - 1, 1));
  const [track] = await readPackets(lines('#tb 0: 1/25', ...packets));
  assert.equal([track?.start, track?.end, track?.constantRate], [0, 0.16, true]);
});

test('a last packet without a duration is shown as long as the mean', async () => {
  const packets = [0, 10, 20].map((time) => packet(0, time, time, 0));
  const [track] = await readPackets(lines('#tb 0: 1/100', ...packets));
  assert.is(track?.end, 0.3);
});

test('a packet marked corrupt marks its stream as cut', async () => {
  const [track] = await readPackets(
    lines(head, packet(0, 0, 0, 512), packet(0, 512, 512, 512, ', F=0x3')),
  );
  assert.ok(track?.cut);
});

test('no packets at all', async () => {
  assert.equal(await readPackets(lines('#software: Lavf')), []);
});

test.run();
