import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ListPrice, rateOf, type Span } from '../../src/accounts/list-price.ts';
import { type Discounts, monthOf, quote, tierAt } from '../../src/accounts/tiers.ts';
import { lipsyncPrice } from '../../src/operations/lip-sync/price.ts';
import { upscalePrice } from '../../src/operations/upscale/price.ts';

const test = suite('price');
const rates = { upscale: { photo: 0.5, tenth: 0.1, dear: 3 }, lipsync: { fast: 1, tenth: 0.1 } };
const prices: Discounts = {
  tiers: [
    { credits: 100, percent: 0 },
    { credits: 100, percent: 10 },
    { credits: null, percent: 20 },
  ],
};
const MP = 1_000_000;
type Work = { readonly model: string; readonly outputPixels?: number; readonly video?: Span };
/** The list price of an enlargement, whose output is so many pixels, or of a lip sync. */
const priceOf = ({ model, outputPixels, video }: Work): ListPrice => {
  if (outputPixels !== undefined) {
    // A side counts as 16 pixels at the least.
    const size = { width: outputPixels / 16, height: 16 };
    return upscalePrice(model, rateOf({ rates }, 'upscale', model), size, video);
  }
  if (!video) throw new Error('a lip sync has a length');
  return lipsyncPrice(model, rateOf({ rates }, 'lipsync', model), video);
};
/** Video of a usual rate. */
const at25 = (seconds: number) => ({ seconds, frames: Math.round(seconds * 25) });
const sum = (lines: readonly { credits: number }[]): number =>
  lines.reduce((total, { credits }) => total + Math.round(credits * MP), 0) / MP;

const listPrices: [says: string, work: Work, list: number][] = [
  ['one pixel costs the least, one credit', { model: 'photo', outputPixels: 1 }, 1],
  ['exactly two credits stay two', { model: 'photo', outputPixels: 4 * MP }, 2],
  ['a pixel more is rounded up', { model: 'photo', outputPixels: 4 * MP + 1 }, 3],
  ['30 MP at 0.1 are 3, not 4', { model: 'tenth', outputPixels: 30 * MP }, 3],
  ['3 MP × 0.1 × 10 s are 3, not 4', { model: 'tenth', outputPixels: 3 * MP, video: at25(10) }, 3],
  ['0.1 + 0.2 s are 0.3 s', { model: 'dear', outputPixels: 10 * MP, video: at25(0.1 + 0.2) }, 9],
  ['a video costs by the second', { model: 'photo', outputPixels: 2 * MP, video: at25(2.5) }, 3],
  ['lip sync costs by the second of output', { model: 'fast', video: at25(12.04) }, 13],
  ['a frame of lip sync costs the least', { model: 'tenth', video: at25(0.04) }, 1],
  ['0.1 + 0.2 s ten times are 3 s at 0.1', { model: 'tenth', video: at25(10 * (0.1 + 0.2)) }, 1],
  [
    'the largest work is exact',
    { model: 'dear', outputPixels: 8192 ** 2, video: at25(600) },
    120_796,
  ],
];
const many: [says: string, work: Work, list: number][] = [
  [
    '30 frames a second are no more than 25',
    { model: 'photo', outputPixels: 2 * MP, video: { seconds: 10, frames: 300 } },
    10,
  ],
  [
    '60 frames a second cost twice as much',
    { model: 'photo', outputPixels: 2 * MP, video: { seconds: 10, frames: 600 } },
    20,
  ],
  [
    '1 s of 10,000 frames costs what 333 s cost, 167 credits a megapixel and not 1',
    { model: 'photo', outputPixels: MP, video: { seconds: 1, frames: 10_000 } },
    167,
  ],
  [
    'frames of no length at all cost what they are',
    { model: 'photo', outputPixels: 2 * MP, video: { seconds: 0, frames: 900 } },
    30,
  ],
  [
    'a tiny frame costs as one of 10,000 pixels',
    { model: 'photo', outputPixels: 4, video: { seconds: 600, frames: 36_000 } },
    6,
  ],
  [
    'a strip as long as any costs by its pixels',
    { model: 'dear', outputPixels: 2 * 16_384, video: { seconds: 600, frames: 15_000 } },
    59,
  ],
  [
    'one frame that is shown for ten minutes costs ten minutes',
    { model: 'photo', outputPixels: MP, video: { seconds: 600, frames: 1 } },
    300,
  ],
  ['no video is free', { model: 'tenth', outputPixels: 1, video: { seconds: 0, frames: 0 } }, 1],
  [
    'lip sync of 60 frames a second costs twice as much',
    { model: 'fast', video: { seconds: 12, frames: 720 } },
    24,
  ],
  [
    'lip sync of 1 s of 10,000 frames costs what 334 s cost',
    { model: 'fast', video: { seconds: 1, frames: 10_000 } },
    334,
  ],
];
for (const [says, work, list] of [...listPrices, ...many]) {
  test(says, () => assert.is(priceOf(work).credits, list));
}

const discounts: [used: number, list: number, credits: number][] = [
  [0, 1, 1],
  [0, 100, 100],
  [99, 1, 1],
  // A tenth of a credit is rounded away.
  [100, 1, 1],
  [100, 10, 9],
  [100, 100, 90],
  // 50 at full price, 50 at 10 % off.
  [50, 100, 95],
  // 1 + 100 × 0.9 + 99 × 0.8 = 170.2
  [99, 200, 171],
  [200, 10, 8],
  [1_000_000, 10, 8],
];
for (const [used, list, credits] of discounts) {
  test(`${list} credits after ${used} cost ${credits}, and the lines add up`, () => {
    const made = quote(priceOf({ model: 'photo', outputPixels: list * 2 * MP }), used, prices);
    assert.is(made.credits, credits);
    assert.is(sum(made.lines), credits);
    assert.is(made.lines[0]?.credits, list);
  });
}

test('each tier that gives a discount has its own line', () => {
  const { lines } = quote(priceOf({ model: 'photo', outputPixels: 400 * MP }), 99, prices);
  assert.equal(
    lines.map(({ kind, credits }) => [kind, credits]),
    [
      ['base', 200],
      ['discount', -10],
      ['discount', -19.8],
      ['rounding', 0.8],
    ],
  );
});

test('a discount of everything still costs one credit', () => {
  const free = { ...prices, tiers: [{ credits: null, percent: 100 }] };
  const { credits, lines } = quote(priceOf({ model: 'photo', outputPixels: 20 * MP }), 0, free);
  assert.is(credits, 1);
  assert.is(sum(lines), 1);
});

test('beyond the last row its discount goes on, bounded or not', () => {
  const bounded = {
    ...prices,
    tiers: [
      { credits: 10, percent: 0 },
      { credits: 10, percent: 50 },
    ],
  };
  assert.is(quote(priceOf({ model: 'photo', outputPixels: 200 * MP }), 500, bounded).credits, 50);
});

test('a quote is valid exactly where it gives the same price', () => {
  for (let used = 0; used < 320; used += 1) {
    for (const list of [1, 7, 60, 150]) {
      const work = priceOf({ model: 'photo', outputPixels: list * 2 * MP });
      const { credits, validFor } = quote(work, used, prices);
      assert.ok(validFor.from <= used && used <= validFor.to);
      assert.is(quote(work, validFor.from, prices).credits, credits);
      assert.is(quote(work, Math.min(validFor.to, 10_000), prices).credits, credits);
    }
  }
});

test('a price never falls when more is asked for in the same month', () => {
  let before = 0;
  for (let list = 1; list < 400; list += 1) {
    const { credits } = quote(priceOf({ model: 'photo', outputPixels: list * 2 * MP }), 30, prices);
    assert.ok(credits >= before);
    before = credits;
  }
});

const texts: [work: Work, text: string][] = [
  [{ model: 'photo', outputPixels: 4 * MP }, 'photo: 4 MP × 0.5'],
  [{ model: 'photo', outputPixels: 4 * MP, video: at25(2.5) }, 'photo: 4 MP × 2.5 s × 0.5'],
  [
    { model: 'photo', outputPixels: 1024, video: { seconds: 1, frames: 10_000 } },
    'photo: 0.01 MP (the least for a frame) × 333.333333 s (10000 frames at 30 a second) × 0.5',
  ],
  [
    { model: 'fast', video: { seconds: 2, frames: 120 } },
    'fast: 4 s (120 frames at 30 a second) × 1',
  ],
  // At 30 a second, but for the rounding of the count.
  [{ model: 'fast', video: { seconds: 9.092417, frames: 273 } }, 'fast: 9.092417 s × 1'],
];
for (const [work, text] of texts) {
  test(`a price explains itself: ${text}`, () =>
    assert.is(quote(priceOf(work), 0, prices).lines[0]?.text, text));
}

test('a strip is paid as one of 16 pixels, and any other picture by its own', () => {
  const paid = (width: number, height: number) =>
    upscalePrice('m', 1000, { width, height }).credits;
  assert.is(paid(2, 8192), Math.ceil((16 * 8192) / 1000));
  assert.is(paid(2, 2), 1);
  assert.is(paid(64, 170), Math.ceil((64 * 170) / 1000));
});

test('an amount that is no number has no price', () => {
  for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, -1]) {
    const spans = [
      { seconds, frames: 1 },
      { seconds: 1, frames: seconds },
    ];
    for (const video of spans) {
      assert.throws(() => priceOf({ model: 'fast', video }), /amount/);
      assert.throws(() => priceOf({ model: 'photo', outputPixels: 1, video }), /amount/);
    }
    const size = { width: seconds, height: 16 };
    if (!(seconds < 0)) assert.throws(() => upscalePrice('photo', 0.5, size), /amount/);
  }
});

test('a model without a rate is a fault of the configuration', () => {
  assert.throws(() => priceOf({ model: 'none', outputPixels: 1 }), /rate|none.*"none"/);
});

test('the tier is the one that the next credit falls in', () => {
  assert.equal(tierAt(99, prices), { from: 0, to: 100, percent: 0 });
  assert.equal(tierAt(100, prices), { from: 100, to: 200, percent: 10 });
  assert.equal(tierAt(5000, prices), { from: 200, to: null, percent: 20 });
});

test('a month is one of UTC', () => {
  assert.is(monthOf(Date.parse('2026-01-31T23:59:59.999Z')), '2026-01');
  assert.is(monthOf(Date.parse('2026-02-01T00:30:00+02:00')), '2026-01');
});

test.run();
