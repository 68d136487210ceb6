import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { unsupported } from '../../src/media/probe/identify.ts';
import { rateText } from '../../web/catalogue.ts';
import { cameOf, faultOf, otherKind } from '../../web/file-fault.ts';
import { acceptOf, kindOf } from '../../web/file-kind.ts';
import { detailOf, stageOf } from '../../web/progress-words.ts';
import { inFormWords } from '../../web/words.ts';

test('names of the API are told as the form shows them', () => {
  for (const [told, shown] of [
    ['set sync_mode to silence.', 'set sync mode to silence.'],
    ['`cut_off` ends with the shorter', 'cut off ends with the shorter'],
    ['one of image_url, video_url.', 'one of image url, video url.'],
  ] as const)
    assert.is(inFormWords(told), shown);
});

test('what callers wrote, addresses and names of files stay as they are', () => {
  for (const text of [
    'got "cut_off_late".',
    '“my_file” is empty.',
    'my_file.png has 3 MB.',
    'https://example.org/my_file may not be reached.',
    'Expected a face.',
  ])
    assert.is(inFormWords(text), text);
});

test('a job that has just begun is told without a percentage', () => {
  const at = (kind: 'lipsync' | 'upscale', percent: number): string => {
    const frames = { frames_done: 2, frames_total: 60, eta_seconds: null };
    const job = {
      kind,
      status: 'processing',
      input: { kind: 'image' },
      queue_position: null,
      queue_eta_seconds: null,
      progress: { stage: 'decoding', percent, ...frames },
    } as const;
    return `${stageOf(job)}: ${detailOf(job)}`;
  };
  assert.is(at('lipsync', 0), 'Finding the faces: frame 2 of 60');
  assert.is(at('lipsync', 9.2), 'Finding the faces: 9 % · frame 2 of 60');
  assert.is(at('upscale', 0), 'Reading the picture: part 2 of 60');
});

const formatsIn = (sentence: string): string[] => [
  ...new Set(sentence.match(/\b(?:[A-Z][A-Z0-9]{2,3}|WebP|WebM|Opus)\b/g)),
];

test('the page names the formats that the service takes, and no others', () => {
  for (const [isVisual, kinds] of [
    [true, ['image', 'video'] as const],
    [false, ['audio'] as const],
  ] as const) {
    const formats = formatsIn(unsupported(kinds, 'text').message);
    assert.ok(formats.length > 7, formats.join());
    assert.equal(formatsIn(otherKind('a', isVisual)), formats);
  }
});

test('a file of another kind is told so in one way, before it is sent and after', () => {
  const place = { isVisual: true, mostBytes: () => undefined };
  const chosen = { name: 'voice.wav', kind: 'audio', content: new Blob(['sound']) } as const;
  assert.is(faultOf(chosen, place), otherKind('voice.wav', true, 'a sound'));
});

test('what the service found in a file is told of it', () => {
  const came = cameOf(unsupported(['image', 'video'], 'an SVG drawing (image/svg+xml)').message);
  assert.match(
    otherKind('a.svg', true, came),
    /; “a\.svg” is an SVG drawing \(image\/svg\+xml\)\.$/,
  );
  assert.is(cameOf('The storage is full.'), undefined);
});

test('the page knows files that a browser may not know by their names, and offers them', () => {
  assert.is(kindOf(new Blob([]), 'A.MKV'), 'video');
  assert.is(kindOf(new Blob([]), 'a.b.heic'), 'image');
  const [visual, heard] = [acceptOf(true).split(','), acceptOf(false).split(',')];
  assert.equal(
    ['.mkv', '.heic', '.wma'].map((name) => [visual.includes(name), heard.includes(name)]),
    [
      [true, true],
      [true, false],
      [false, true],
    ],
  );
});

const priced = (id: string, price: Readonly<Record<string, number>>, more = {}) => ({
  ...{ id, operation: 'any', description: '', ready: true, version: null, releases: [] },
  ...{ engine: null, price, ...more },
});

test('a price by the megapixel says that a video is paid by the second as well', () => {
  const photo = priced('photo', { credits_per_megapixel: 0.5, minimum_credits: 1 });
  const fast = { model: 'photo', effort: 'realtime' };
  const variants = [photo, priced('photo_realtime', { credits_per_megapixel: 0.05 }, fast)];
  assert.is(
    rateText(photo, variants),
    '0.5 credits per megapixel, and per second of a video (realtime: 0.05)',
  );
  assert.is(rateText(priced('fast', { credits_per_second: 1 }), []), '1 credit per second');
});

test.run();
