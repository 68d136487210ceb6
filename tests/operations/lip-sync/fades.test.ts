import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eased } from '../../../src/operations/lip-sync/render/eased.ts';
import { fades, fadesFrom, opacityOf } from '../../../src/operations/lip-sync/render/fades.ts';

const test = suite('fades');

/** '.' a frame with the face, 'x' one without; after '|' another shot begins. */
const framesOf = (said: string, fps: number) =>
  [...said.matchAll(/(\|?)([.x])/g)].map(([, cut, letter]) => {
    return { seen: letter === '.', cut: cut === '|', duration: 1 / fps };
  });
const rounded = (said: string, fps: number) =>
  fades(framesOf(said, fps)).map((share) => Number(share.toFixed(2)));

test('the mouth fades on both sides of a gap, slowly at first and last, and not at the ends of the clip', () => {
  const before = [0.97, 0.87, 0.74, 0.58, 0.42, 0.26, 0.13, 0.03];
  assert.equal(rounded('..........x..', 25), [1, 1, ...before, 0, 0.03, 0.13]);
  assert.equal(rounded('..', 25), [1, 1]);
  assert.equal(rounded('', 25), []);
});

test('at a cut to frames without the face, and back, nothing fades: the whole shot speaks', () => {
  assert.equal(rounded('....|xx|....', 25), [1, 1, 1, 1, 0, 0, 1, 1, 1, 1]);
  assert.equal(rounded('x.|.', 25), [0, 0.03, 1]);
});

test('the mouths of a photograph are mixed in the half of a fade where they are alike, those of a drawing never', () => {
  const shares = [0, 0.03, 0.26, 0.5, 1];
  const seen = (style: 'photo' | 'flat') => shares.map((share) => opacityOf(share, style));
  assert.equal(seen('photo'), [0, 0.06, 0.52, 1, 1]);
  assert.equal(seen('flat'), [0, 0, 1, 1, 1]);
});

test('in frames that are eased as they pass, nothing fades at a cut', async () => {
  const frames = framesOf('....|xx|....x', 25);
  async function* source() {
    for (const frame of frames) yield { ...frame, share: frame.seen ? 1 : 0 };
  }
  const shown: number[] = [];
  const ease = async <T>(frame: T, share: number) => ({ ...frame, share });
  for await (const { share } of eased(source(), ease)) shown.push(share);
  assert.equal(shown, fades(frames));
});

test('a fade takes as long at any rate', () => {
  const lasting = (fps: number) =>
    fades(framesOf(`${'.'.repeat(fps)}x`, fps)).filter((share) => share < 1).length / fps;
  assert.ok(Math.abs(lasting(60) - lasting(25)) < 0.05);
});

test('frames round one whose mouth is covered are eased as they pass, and no more are held back than a fade needs', async () => {
  const said = `${'.'.repeat(20)}x${'.'.repeat(20)}xx...`;
  let taken = 0;
  async function* source() {
    for (const [index, frame] of framesOf(said, 25).entries()) {
      taken += 1;
      yield { ...frame, index, share: frame.seen ? 1 : 0 };
    }
  }
  const shown: number[] = [];
  let mostHeld = 0;
  const ease = async <T>(frame: T, share: number) => ({ ...frame, share });
  for await (const { index, share } of eased(source(), ease)) {
    mostHeld = Math.max(mostHeld, taken - index - 1);
    shown.push(share);
  }
  assert.equal(shown, fades(framesOf(said, 25)));
  assert.is(mostHeld, 8);
});

test('a chunk that begins inside a fade goes on with it', async () => {
  const frames = framesOf(`....x${'.'.repeat(25)}`, 25).map((frame, index) => ({
    ...frame,
    index,
  }));
  const sharesFrom = async (from: number) => {
    async function* source() {
      for (const frame of frames.slice(fadesFrom(frames, from)))
        yield { ...frame, share: frame.seen ? 1 : 0 };
    }
    const ease = async <T>(frame: T, share: number) => ({ ...frame, share });
    const shares: number[] = [];
    for await (const { index, share } of eased(source(), ease))
      if (index >= from) shares.push(share);
    return shares;
  };
  const whole = fades(frames);
  for (const from of [0, 3, 6, 11, 12, 13, 20])
    assert.equal(await sharesFrom(from), whole.slice(from));
  assert.ok(20 - fadesFrom(frames, 20) <= 9);
});

test.run();
