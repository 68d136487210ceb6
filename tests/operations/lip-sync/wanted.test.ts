/** What a renderer may want for a picture: pure. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lowerFace } from '../../../src/operations/lip-sync/render/lower-face.ts';
import {
  collectReferences,
  referenceFor,
} from '../../../src/operations/lip-sync/render/references.ts';
import { speechWindow } from '../../../src/operations/lip-sync/render/speech-window.ts';
import { wantedOf } from '../../../src/operations/lip-sync/render/wanted.ts';
import type { Reference } from '../../../src/triton/clients/mouth-wants.ts';

const test = suite('what a renderer wants');
const RATE = 16_000;
/** Each sample is its own number, from 1 on. */
const counted = Float32Array.from({ length: RATE }, (_, i) => i + 1);

const windows: [string, number, number, number[]][] = [
  ['in the middle of the sound', 0.5, 4, [7999, 8000, 8001, 8002]],
  ['at its begin', 0, 4, [0, 0, 1, 2]],
  ['between two samples', 1 / RATE + 1e-6, 4, [0, 1, 2, 3]],
  ['at its end', 1, 4, [15999, 16000, 0, 0]],
  ['after its end', 2, 4, [0, 0, 0, 0]],
  ['far before its begin', -2, 4, [0, 0, 0, 0]],
];
for (const [name, time, samples, expected] of windows) {
  test(`the window of a picture ${name} has its time in the middle`, () => {
    assert.equal([...speechWindow(counted, time, samples)], expected);
  });
}

test('a window longer than the sound has all of it', () => {
  const window = speechWindow(counted, 0.5, 4 * RATE);
  assert.equal([...window.subarray(1.5 * RATE, 2.5 * RATE)], [...counted]);
  assert.is(
    window.reduce((sum, value) => sum + value, 0),
    (RATE * (RATE + 1)) / 2,
  );
});

/** A face of straight lines: ears at 20 and 80 across, chin at 90 down, the mouth at 50, 70 and the nose at 50, 50. */
const face = (): Float32Array => {
  const mesh = new Float32Array(478 * 3).fill(Number.NaN);
  const put = (points: readonly number[], place: (share: number) => readonly [number, number]) => {
    for (const [i, point] of points.entries()) mesh.set(place(i / (points.length - 1)), point * 3);
  };
  const right = [234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152];
  const left = [152, 377, 400, 378, 379, 365, 397, 288, 361, 323, 454];
  put(right, (share) => [20 + 30 * share, 50 + 40 * share]);
  put(left, (share) => [50 + 30 * share, 90 - 40 * share]);
  put([425, 327, 2, 98, 205], (share) => [60 - 20 * share, 50]);
  put([61, 291], (share) => [40 + 20 * share, 70]);
  return mesh;
};
const at = (mask: Buffer, x: number, y: number): number | undefined => mask[y * 100 + x];

test('the lower face may change, and neither the nose nor what is beside the face', () => {
  const mask = lowerFace(face(), { width: 100, height: 100 });
  assert.equal(new Set(mask), new Set([0, 255]));
  for (const [x, y] of [
    [50, 70],
    [40, 70],
    [50, 88],
    [50, 55],
  ] as const)
    assert.is(at(mask, x, y), 255, `${x}, ${y}`);
  for (const [x, y] of [
    [50, 45],
    [20, 80],
    [80, 80],
    [50, 97],
  ] as const)
    assert.is(at(mask, x, y), 0, `${x}, ${y}`);
  // A mouth that opens wider lowers the chin, which is at 90.
  assert.is(at(mask, 50, 91), 255);
});

test('of a face beyond the border of its patch the part within may change', () => {
  const mask = lowerFace(face(), { width: 100, height: 64 });
  assert.is(mask.length, 6400);
  assert.is(at(mask, 50, 60), 255);
  const beyond = face().map((value, i) => (i % 3 === 0 ? value - 50 : value));
  assert.is(at(lowerFace(beyond, { width: 100, height: 100 }), 0, 70), 255);
  const away = face().map((value) => value + 1000);
  assert.not(lowerFace(away, { width: 100, height: 100 }).includes(255));
});

/** A clip of grey pictures, each as light as its index; in odd ones the face is beyond the border. */
const clip = {
  meshOf: async (index: number) => {
    const eyes = face();
    eyes.set([40, 30, 0], 33 * 3);
    eyes.set([60, 30, 0], 263 * 3);
    return index % 2 === 1 ? eyes.map((value) => value + 1000) : eyes;
  },
  pictures: async function* (indices: readonly number[]) {
    for (const index of indices) {
      const pixels = Buffer.alloc(15_000, index);
      yield { index, time: index, duration: 1, width: 100, height: 100, pixels };
    }
  },
  render: { patchSpan: 2, patchDrop: 0, smallestFace: 8 },
};
const shownIn = ({ patch }: Reference): number => patch.pixels[0] ?? -1;

test('a picture refers to the best other one whose mouth is seen', async () => {
  const references = await collectReferences({ ...clip, candidates: [7, 4, 4, 2, 8] });
  assert.equal(
    [0, 4, 2, 8].map((source) => shownIn(referenceFor(references, source))),
    [4, 2, 4, 4],
  );
  const { patch, mesh } = referenceFor(references, 0);
  assert.equal([patch.width, patch.height, patch.pixels.length], [42, 42, 2646]);
  assert.equal([...mesh.subarray(61 * 3, 61 * 3 + 2)], [10, 20]);
});

test('the only picture of a clip refers to itself, and one without a mouth to nothing', async () => {
  const only = await collectReferences({ ...clip, candidates: [6] });
  assert.is(shownIn(referenceFor(only, 6)), 6);
  let message = '';
  try {
    await collectReferences({ ...clip, candidates: [1, 3] });
  } catch (error) {
    message = String(error);
  }
  assert.match(message, /no picture of the clip has a mouth to refer to/);
});

const moment = {
  time: 0.5,
  patch: { width: 100, height: 100 },
  mesh: face(),
  reference: { patch: { width: 2, height: 2, pixels: Buffer.alloc(6) }, mesh: face() },
};

test('a picture gets what its model wants and nothing else', () => {
  const nothing = { speechSamples: 0, reference: false, mask: false };
  assert.equal(wantedOf(nothing, counted, moment), {});
  const { speech } = wantedOf({ ...nothing, speechSamples: 4 }, counted, moment);
  assert.equal([...(speech ?? [])], [7999, 8000, 8001, 8002]);
  const { reference, ...rest } = wantedOf({ ...nothing, reference: true }, counted, moment);
  assert.is(reference, moment.reference);
  assert.equal(rest, {});
  assert.equal(Object.keys(wantedOf({ ...nothing, mask: true }, counted, moment)), ['mask']);
});

test.run();
