import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type YuvFrame, yuvBytes } from '../../../src/frame.ts';
import { openMemory } from '../../../src/memory.ts';
import { trackFaces } from '../../../src/operations/lip-sync/faces/track.ts';
import { findTransitions, type Shots } from '../../../src/operations/lip-sync/faces/transitions.ts';

const test = suite('dissolves and wipes');
const [width, height] = [128, 72];
type Luma = (x: number, y: number) => number;

/** A bright head before stripes, which sways by two pixels as people do. */
const shot =
  (angle: number, skin: number) =>
  (at: number): Luma => {
    const middle = 64 + 2 * Math.sin(at / 4);
    return (x, y) =>
      Math.hypot(x - middle, y - 40) < 22
        ? skin
        : 110 + 50 * Math.sin((x * Math.cos(angle) + y * Math.sin(angle)) / 9);
  };
const [first, second] = [shot(0.3, 200), shot(1.8, 150)];

const picture = (luma: Luma) => {
  const pixels = Buffer.alloc(yuvBytes({ width, height }), 128);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) pixels[y * width + x] = luma(x, y);
  return { width, height, pixels };
};

/** `count` pictures in each shot, and between them those in which `share` says how much of the second is seen. */
const edited = (count: number, between: number, share: (x: number, done: number) => number) =>
  Array.from({ length: 2 * count + between }, (_, at) => {
    const done = Math.min(1, Math.max(0, (at - count + 1) / (between + 1)));
    const [a, b] = [first(at), second(at)];
    return picture((x, y) => a(x, y) + share(x, done) * (b(x, y) - a(x, y)));
  });
const dissolve = (_: number, done: number) => done;
const wipe = (x: number, done: number) => Number(x < done * width);

const shotsOf = (pictures: readonly ReturnType<typeof picture>[], fps = 25): Shots => {
  const transitions = findTransitions(fps);
  for (const each of pictures) transitions.add(each);
  return transitions.end();
};
/** The shots in their order and, under 'mixed', how many pictures are of none. */
const told = (shots: Shots) => ({
  shots: [...new Set(shots.filter((one) => one !== null))],
  mixed: shots.filter((one) => one === null).length,
  from: shots.indexOf(null),
});

test('pictures of a dissolve and of a wipe are of neither shot', () => {
  assert.equal(told(shotsOf(edited(20, 10, dissolve))), { shots: [0, 1], mixed: 10, from: 20 });
  const wiped = told(shotsOf(edited(20, 16, wipe)));
  assert.equal(wiped.shots, [0, 1]);
  assert.ok(wiped.from >= 18 && wiped.mixed >= 10 && wiped.mixed <= 20, JSON.stringify(wiped));
  const twice = edited(20, 10, dissolve).flatMap((one) => [one, one]);
  assert.equal(told(shotsOf(twice, 50)).shots, [0, 1]);
});

test('a cut, and a head that crosses the picture, are no transitions', () => {
  const none = { shots: [0], mixed: 0, from: -1 };
  assert.equal(told(shotsOf(edited(30, 0, dissolve))), none);
  const crossing = Array.from({ length: 60 }, (_, at) =>
    picture((x, y) => first(0)((x - at + 94) % 128, y)),
  );
  assert.equal(told(shotsOf(crossing)), none);
});

/** The people in each picture where the tracker follows one face throughout, whose likeness changes with the shot by `apart`. */
const people = async (apart: number) => {
  const pictures = edited(30, 12, dissolve);
  const frames = (async function* () {
    for (const [index, one] of pictures.entries())
      yield { ...one, index, time: index / 25, duration: 1 / 25 } as YuvFrame;
  })();
  const face = (at: number) => ({
    id: 0,
    score: 1,
    box: [40, 20, 90, 70] as const,
    mesh: new Float32Array(478 * 3),
    likeness: at % 4 === 0 ? Float32Array.of(at < 36 ? 0 : apart) : null,
  });
  let at = 0;
  const { sightings } = await trackFaces({
    frames,
    blocks: openMemory(),
    coding: { kr: 0.299, kb: 0.114, fullRange: true },
    size: { width, height },
    fps: 25,
    tracker: {
      track: ({ pictures: asked }: { pictures: readonly unknown[] }) =>
        Promise.resolve({
          faces: asked.map(() => [face(at++)]),
          cuts: asked.map(() => false),
          state: new Float32Array(),
        }),
    } as never,
    meshes: { add: () => Promise.resolve(0) },
    signal: new AbortController().signal,
  });
  return sightings.map((seen) => seen.map(({ id }) => id).join()).join('.');
};

test('a face that dissolves into another person at its place is two people, into the same one it is one', async () => {
  const times = (id: string, count: number) => Array.from({ length: count }, () => id);
  assert.is(await people(0.4), [...times('0', 30), ...times('', 12), ...times('1', 30)].join('.'));
  assert.is(await people(0.2), times('0', 72).join('.'));
});

test.run();
