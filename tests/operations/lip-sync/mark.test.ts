/** What is asked of the renderer to find a mark that lies over all of a clip's pictures. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../../src/frame.ts';
import { collectMark } from '../../../src/operations/lip-sync/render/mark.ts';
import type { MarkedPictures } from '../../../src/triton/clients/mouth-render.ts';

const test = suite('mark');
const size = { width: 96, height: 48 };

/** A face with eyes 16 apart in each of so many pictures, its mouth at 32, 24 in the first and `step` farther in each other. */
const collected = async (pictures: number, step: number) => {
  const asked: MarkedPictures[] = [];
  const render = {
    mark: async (marked: MarkedPictures) => {
      asked.push(marked);
      return Buffer.alloc(marked.width * marked.height, 140);
    },
  } as never;
  const meshOf = async (index: number) => {
    const mesh = new Float32Array(478 * 3);
    const x = 32 + index * step;
    mesh.set([x - 8, 10, 0], 33 * 3);
    mesh.set([x + 8, 10, 0], 263 * 3);
    mesh.set([x, 24, 0], 61 * 3);
    mesh.set([x, 24, 0], 291 * 3);
    return mesh;
  };
  const mark = await collectMark({
    shown: Array.from({ length: pictures }, (_, i) => i),
    async *pictures(indices: readonly number[]): AsyncGenerator<YuvFrame> {
      const pixels = Buffer.from(Array.from({ length: 96 * 48 * 1.5 }, (_, i) => i % 96));
      for (const index of indices) yield { ...size, pixels, index, time: 0, duration: 0.04 };
    },
    meshOf,
    render,
    coding: { kr: 0.2126, kb: 0.0722, fullRange: false },
    signal: AbortSignal.timeout(9000),
  });
  return { mark, asked };
};

test('one rectangle of luma round all mouths, and each face in its pixels', async () => {
  const { mark, asked } = await collected(8, 0.5);
  const [marked] = asked;
  if (!mark || !marked) throw new Error('nothing was asked');
  const { x, y, width, height } = mark;
  assert.equal({ x, y, width, height }, { x: 20, y: 14, width: 26, height: 18 });
  assert.is(marked.luma.length, 8);
  assert.ok(marked.luma.every((luma) => luma.length === 26 * 18 && luma[27] === 21));
  assert.is(marked.meshes[2]?.[33 * 3], 32 + 1 - 8 - 20);
  assert.ok(mark.pixels.every((share) => share === 140));
});

test('nothing is asked of few pictures, nor of a face that goes across the picture', async () => {
  assert.is((await collected(7, 0.5)).asked.length, 0);
  assert.is((await collected(8, 9)).asked.length, 0);
});

test.run();
