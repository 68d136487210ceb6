import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chooseFace, countFaces } from '../../../src/operations/lip-sync/faces/choose-face.ts';
import type { Sighting } from '../../../src/operations/lip-sync/faces/track.ts';
import type { Heard } from '../../../src/triton/clients/speech.ts';
import { failing } from '../../media/failing.ts';

const test = suite('choice of the face');
const face = (id: number, x: number, width: number): Sighting => ({
  id,
  score: 1,
  mesh: 0,
  opening: 0,
  box: [x, 0, x + width, width],
});
/** Lips that open and shut three times a second, and what is heard then; `late` in seconds. */
const talking = (seconds: number, late = 0) =>
  Math.max(0, Math.sin(6 * Math.PI * (seconds - late)) * Math.sin(2 * seconds));
const heard = (seconds: number): Heard => {
  const steps = seconds * 100;
  const curves = new Float32Array(steps * 6);
  for (let i = 0; i < steps; i += 1) curves[i * 6] = talking((i + 0.5) / 100);
  const activity = new Float32Array(steps).fill(1);
  return { steps, posteriors: new Float32Array(steps * 20), curves, activity };
};
const clock = Array.from({ length: 101 }, (_, i) => i / 25);
/** People sway a little; a poster, of sway 0, does not. */
const scene = (
  ...people: readonly (readonly [width: number, lips: (seconds: number) => number, sway?: number])[]
) =>
  clock.slice(0, -1).map((time) =>
    people.map(([width, lips, sway = 0.01], id) => ({
      ...face(id, id * 300 + sway * width * Math.sin(3 * time), width),
      opening: lips(time + 0.02),
    })),
  );
const size = { width: 1200, height: 400 };
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);
const ids = (chosen: readonly (Sighting | null)[]) => chosen.map((one) => one?.id ?? null);

test('the face that is large for long speaks', () => {
  const [small, large, brief] = [face(1, 0, 40), face(2, 100, 90), face(3, 300, 400)];
  const clip = [...times(2, [small, large, brief]), ...times(18, [small, large])];
  assert.equal(ids(chooseFace(clip, { mode: 'auto' })), times(20, 2));
});

test('who talks speaks, though somebody larger keeps still, smiles slowly, or says something else', () => {
  const says = (time: number) => 0.1 * talking(time, 0.05);
  const others: ((time: number) => number)[] = [
    () => 0.02,
    (time) => 0.05 * Math.sin(time),
    (time) => 0.1 * Math.abs(Math.sin(7.1 * time + 1)),
  ];
  const speech = { times: clock, size, own: heard(4) };
  for (const other of others) {
    const chosen = chooseFace(scene([160, other], [90, says]), { mode: 'auto' }, 100, speech);
    assert.equal(ids(chosen), times(100, 1));
  }
});

test('where nobody talks, or nothing is heard, the larger speaks, and of equals who moves the lips', () => {
  const still = () => 0.02;
  const moving = (time: number) => 0.1 * Math.abs(Math.sin(9 * time));
  for (const own of [heard(4), null]) {
    const speech = { times: clock, size, own };
    const larger = chooseFace(scene([160, still], [90, still]), { mode: 'auto' }, 100, speech);
    assert.equal(ids(larger), times(100, 0));
  }
  const mute = { times: clock, size, own: null };
  const equals = chooseFace(scene([100, still], [95, moving]), { mode: 'auto' }, 100, mute);
  assert.equal(ids(equals), times(100, 1));
  const unequal = chooseFace(scene([160, still], [90, moving]), { mode: 'auto' }, 100, mute);
  assert.equal(ids(unequal), times(100, 0));
});

test('a poster does not speak while somebody smaller moves the lips, and of posters the larger does', () => {
  const printed = (time: number) => 0.02 + 0.002 * Math.sin(50 * time);
  const moving = (time: number) => 0.1 * Math.abs(Math.sin(9 * time));
  const mute = { times: clock, size, own: null };
  const beside = scene([160, printed, 0], [90, moving]);
  assert.equal(ids(chooseFace(beside, { mode: 'auto' }, 100, mute)), times(100, 1));
  const brief = beside.map((faces, i) => (i < 40 ? faces : faces.slice(0, 1)));
  assert.equal(ids(chooseFace(brief, { mode: 'auto' }, 100, mute)), times(100, 0));
  const posters = scene([160, printed, 0], [90, printed, 0]);
  assert.equal(ids(chooseFace(posters, { mode: 'auto' }, 100, mute)), times(100, 0));
});

test('of a person and a smaller mirror image, which trembles a little more, the person speaks', () => {
  const lips = (time: number) => 0.1 * Math.abs(Math.sin(9 * time));
  const mirrored = (time: number) => lips(time) + 0.003 * Math.sin(70 * time);
  const mute = { times: clock, size, own: null };
  const chosen = chooseFace(scene([90, mirrored], [100, lips]), { mode: 'auto' }, 100, mute);
  assert.equal(ids(chosen), times(100, 1));
});

test('a larger copy of a face about the middle of the picture does not speak; somebody else of its size, or before a screen, does', () => {
  const lips = (time: number) => 0.1 * Math.abs(Math.sin(9 * time));
  const blurred = (time: number) => 0.8 * lips(time) + 0.01 * Math.sin(70 * time);
  const other = (time: number) => 0.1 * Math.abs(Math.sin(7 * time));
  /** The picture is in the middle, so that x 442 and y 89 show the same as in the copy. */
  const picture = { width: 884, height: 200 };
  const lowered = ({ box: [x1, y1, x2, y2], ...face }: Sighting): Sighting => ({
    ...face,
    box: [x1, y1 + 60, x2, y2 + 60],
  });
  const speakerOf = (clip: ReturnType<typeof scene>, own: Heard | null = null, size = picture) => {
    const lower = clip.map(([large, small]) => [large, small && lowered(small)] as Sighting[]);
    return ids(chooseFace(lower, { mode: 'auto' }, 100, { times: clock, size, own }));
  };
  for (const own of [heard(4), null])
    assert.equal(speakerOf(scene([280, blurred], [90, lips]), own), times(100, 1));
  assert.equal(speakerOf(scene([280, other], [90, lips])), times(100, 0));
  assert.equal(speakerOf(scene([280, blurred, -0.01], [90, lips])), times(100, 0));
  assert.equal(speakerOf(scene([280, lips], [90, lips, 0.031])), times(100, 0));
  for (const size of [
    { ...picture, width: 660 },
    { ...picture, height: 105 },
  ])
    assert.equal(speakerOf(scene([280, blurred], [90, lips]), null, size), times(100, 0));
});

test('a face that is large only after the end of the output does not speak', () => {
  const clip = [...times(5, [face(1, 0, 40)]), ...times(20, [face(1, 0, 40), face(2, 100, 90)])];
  assert.equal(ids(chooseFace(clip, { mode: 'auto' }, 5)), times(25, 1));
});

test('a point names the face that holds it, and its person speaks throughout', () => {
  const clip = [[face(1, 0, 40), face(2, 100, 90)], [face(1, 10, 40)], [face(2, 100, 90)]];
  assert.equal(ids(chooseFace(clip, { frame: 0, x: 20, y: 20 })), [1, 1, null]);
});

test('of two faces that hold the point, the one whose middle is nearer speaks', () => {
  const clip = [[face(1, 0, 100), face(2, 60, 100)]];
  assert.equal(ids(chooseFace(clip, { frame: 0, x: 95, y: 50 })), [2]);
});

test('boxes name a face in each frame, of any person; null names none', () => {
  const clip = [[face(1, 0, 40), face(2, 100, 90)], [face(3, 5, 40)], [face(1, 0, 40)]];
  const boxes = [[0, 0, 42, 38], [0, 0, 40, 40], null] as [number, number, number, number][];
  assert.equal(ids(chooseFace(clip, { boxes })), [1, 3, null]);
});

test('a point or box without a face is refused', async () => {
  const clip = [[face(1, 0, 40)]];
  for (const speaker of [
    { frame: 0, x: 300, y: 20 },
    { frame: 5, x: 20, y: 20 },
  ]) {
    const { message } = await failing(() => chooseFace(clip, speaker), 'speaker_not_found');
    assert.match(message, /there is no face at/);
  }
  const boxes: [number, number, number, number][] = [[200, 0, 240, 40]];
  await failing(() => chooseFace(clip, { boxes }), 'speaker_not_found');
});

test('people are counted, but not a face that is seen in four frames of many', () => {
  assert.is(countFaces([]), 0);
  assert.is(countFaces([[face(1, 0, 40)]]), 1);
  assert.is(
    countFaces([...times(4, [face(1, 0, 40), face(2, 9, 40)]), ...times(9, [face(2, 9, 40)])]),
    1,
  );
});

test.run();
