import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changedOutside } from '../../bench/lipsync/changed.ts';

const test = suite('bench/lipsync/changed');

const size = { width: 8, height: 6 };
const codes = size.width * size.height * 1.5;
const luma = (x: number, y: number) => y * size.width + x;
const chroma = (x: number, y: number, plane = 0) => 48 + plane * 12 + y * 4 + x;

/** A grey picture with other codes at these places. */
const picture = (...places: number[]) => {
  const pixels = Buffer.alloc(codes, 128);
  for (const place of places) pixels[place] = 200;
  return { ...size, pixels };
};

/** A rectangle at 2, 2 of 4 x 4 whose pixel at 1, 1 alone may change. */
const area = () => {
  const mask = Buffer.alloc(16);
  mask[5] = 1;
  return { x: 2, y: 2, width: 4, height: 4, mask };
};

test('nothing changed is nothing', () => {
  assert.is(changedOutside(picture(), picture(), area()), 0);
  assert.is(changedOutside(picture(), picture(), null), 0);
});

test('what the mask allows does not count, in luma and in the chroma that lies on it', () => {
  const after = picture(luma(3, 3), chroma(1, 1), chroma(1, 1, 1));
  assert.is(changedOutside(picture(), after, area()), 0);
  assert.is(changedOutside(picture(), after, null), 3);
});

test('each code beside the mask counts, inside the rectangle and outside of it', () => {
  const beside = [luma(2, 3), luma(4, 3), luma(0, 0), luma(7, 5), chroma(2, 1), chroma(0, 2, 1)];
  assert.is(changedOutside(picture(), picture(...beside), area()), beside.length);
});

test.run();
