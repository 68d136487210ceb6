import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { matroskaFrameHead, matroskaHead } from '../../src/media/write/matroska.ts';

/** Elements of a buffer: id, then a size of eight bytes. Only what is in `nested` is opened. */
const read = (bytes: Buffer, nested: readonly string[] = []): [string, Buffer][] => {
  const found: [string, Buffer][] = [];
  for (let at = 0; at < bytes.length; ) {
    const idBytes = Math.clz32(bytes[at] ?? 0) - 23;
    const id = bytes.toString('hex', at, at + idBytes);
    const size = Number(bytes.readBigUInt64BE(at + idBytes) & 0xff_ffff_ffff_ffffn);
    const from = at + idBytes + 8;
    const body = bytes.subarray(from, from + size);
    found.push(...(nested.includes(id) ? read(body, nested) : [[id, body] as [string, Buffer]]));
    at = from + size;
  }
  return found;
};
const numberIn = (elements: [string, Buffer][], id: string): number =>
  Number(elements.find(([name]) => name === id)?.[1].readBigUInt64BE());

const test = suite('matroska');

test('the head says what the pictures are', () => {
  const head = matroskaHead({ width: 321, height: 179 }, 'RGB\x18', 25);
  const segment = Buffer.from('1853806701ffffffffffffff', 'hex');
  const start = head.indexOf(segment);
  assert.ok(start > 0);
  assert.is(head.toString('hex', 0, 4), '1a45dfa3');
  const elements = read(head.subarray(start + 12), ['1549a966', '1654ae6b', 'ae', 'e0']);
  assert.is(numberIn(elements, 'b0'), 321);
  assert.is(numberIn(elements, 'ba'), 179);
  assert.is(numberIn(elements, '2ad7b1'), 1);
  assert.is(numberIn(elements, '23e383'), 40_000_000);
  assert.is(elements.find(([id]) => id === '86')?.[1].toString(), 'V_UNCOMPRESSED');
});

test('a picture has its own time and duration, to the nanosecond', () => {
  const pixels = Buffer.from([1, 2, 3, 4, 5, 6]);
  const size = { width: 2, height: 1, channels: 3 } as const;
  const frame = { ...size, pixels, index: 9, time: 599.999_966_667, duration: 1001 / 30000 };
  const cluster = read(Buffer.concat([matroskaFrameHead(frame), pixels]), ['1f43b675', 'a0']);
  assert.equal(
    cluster.map(([id]) => id),
    ['e7', '9b', 'a1'],
  );
  assert.is(numberIn(cluster, 'e7'), 599_999_966_667);
  assert.is(numberIn(cluster, '9b'), 33_366_667);
  assert.equal([...(cluster[2]?.[1] ?? [])], [0x81, 0, 0, 0, 1, 2, 3, 4, 5, 6]);
});

test.run();
