/** On which of a clip's pictures the subject is measured, by a renderer that knows mouths by the colour of their patches. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { YuvFrame } from '../../../src/frame.ts';
import { measureSubject } from '../../../src/operations/lip-sync/render/subject.ts';
import { LipsyncOptions } from '../../../src/operations/lip-sync/request.ts';
import type { MouthRender } from '../../../src/triton/clients/mouth-render.ts';

const test = suite('subject');
const size = { width: 64, height: 48 };

/** Eyes 10 apart, the mouth 10 below them. */
const mesh = new Float32Array(478 * 3);
for (const [point, x, y] of [
  [33, 27, 10],
  [263, 37, 10],
  [61, 29, 20],
  [291, 35, 20],
] as const)
  mesh.set([x, y, 0], point * 3);
const box = [20, 5, 44, 30] as const;
const face = { score: 1, box, id: 0, mesh: 0, opening: 0 };

async function* portrayals(luma: readonly number[]) {
  for (const [index, grey] of luma.entries()) {
    const pixels = Buffer.alloc(64 * 48 * 1.5, grey);
    const picture: YuvFrame = { ...size, index, time: index, duration: 1, pixels };
    yield { info: video, picture, face, mesh };
  }
}
const colour = { matrix: 'bt709', range: 'limited' } as never;
const video = { kind: 'video', size, colour } as never;

type Renderer = {
  readonly style?: 'photo' | 'flat';
  readonly covered?: Readonly<Record<number, number>>;
  readonly wants?: Partial<MouthRender['wants']>;
};

/** The grey of the picture that is taken of these; a mouth is changed for a subject that is at most 9 levels off. */
const taken = async (
  luma: readonly number[],
  others: readonly number[] = [],
  { style = 'flat', covered = {}, wants = {} }: Renderer = {},
): Promise<{ grey: number | undefined; renders: number }> => {
  let renders = 0;
  const mouthRender = {
    patchSpan: 2.4,
    patchDrop: 0.3,
    smallestFace: 8,
    coveredUpTo: 0.05,
    wants: { speechSamples: 0, reference: false, mask: false, ...wants },
    subject: async ({ patch }: { patch: { pixels: Buffer } }) => {
      const [grey = 0] = patch.pixels;
      return { subject: Float32Array.of(grey), style, covered: covered[grey] ?? 0 };
    },
    render: async ({ patch, about }: Parameters<MouthRender['render']>[0]) => {
      renders += 1;
      const alike = Math.abs((patch.pixels[0] ?? 0) - (about.subject[0] ?? 0)) < 10;
      return { pixels: patch.pixels, mask: Buffer.alloc(4, alike ? 255 : 0) };
    },
  };
  const models = { mouthRender } as never;
  const options = LipsyncOptions.parse({ model: 'balanced' });
  const means = { models, options, signal: AbortSignal.timeout(9000) };
  const given = [() => portrayals(luma), () => portrayals(others)] as const;
  const { subject } = await measureSubject(means, ...given);
  return { grey: subject[0], renders };
};

test('a drawing on the first, where by it more than half of all change', async () => {
  assert.equal(await taken([50, 51, 52, 90], [90, 53, 90]), { grey: 50, renders: 7 });
  assert.is((await taken([50])).grey, 50);
});

test('where by the first one half or more stay unchanged, on the one by which fewest do', async () => {
  assert.is((await taken([90, 50, 51, 52])).grey, 50);
  assert.is((await taken([90, 30, 51, 58, 66])).grey, 58);
  assert.is((await taken([90, 50], [51, 52, 53])).grey, 50);
  assert.is((await taken([10, 30, 50, 70])).grey, 10);
});

test('also where that one counts as covered, as a line on bare skin does', async () => {
  const covered = { 50: 0.5, 51: 0.5, 52: 0.5 };
  assert.is((await taken([50, 51, 52, 90], [], { covered })).grey, 50);
  assert.is((await taken([50, 51, 52], [90], { covered })).grey, 50);
});

test('a photograph on the first that nothing covers, and so by a renderer that needs more than a mouth', async () => {
  const unasked = { grey: 90, renders: 0 };
  assert.equal(await taken([90, 50, 51, 52], [], { style: 'photo' }), unasked);
  assert.equal(await taken([90, 50, 51, 52], [], { wants: { speechSamples: 16 } }), unasked);
});

test.run();
