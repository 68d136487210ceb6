import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eased } from '../../../src/operations/lip-sync/render/eased.ts';
import { fades } from '../../../src/operations/lip-sync/render/fades.ts';

const test = suite('fades');

/** '.' a frame with the face, 'x' one without. */
const framesOf = (said: string, fps: number) =>
  [...said].map((letter) => ({ seen: letter === '.', duration: 1 / fps }));
const rounded = (said: string, fps: number) =>
  fades(framesOf(said, fps)).map((share) => Number(share.toFixed(2)));

test('the mouth fades on both sides of a gap, slowly at first and last, and not at the ends of the clip', () => {
  const before = [0.97, 0.87, 0.74, 0.58, 0.42, 0.26, 0.13, 0.03];
  assert.equal(rounded('..........x..', 25), [1, 1, ...before, 0, 0.03, 0.13]);
  assert.equal(rounded('..', 25), [1, 1]);
  assert.equal(rounded('', 25), []);
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

test.run();
