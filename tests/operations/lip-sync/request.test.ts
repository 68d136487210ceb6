import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LipsyncRequest, Speaker } from '../../../src/operations/lip-sync/request.ts';

const request = {
  model: 'fast',
  video_url: 'https://example.com/a.mp4',
  audio_url: 'https://example.com/a.wav',
};
const boxes = [null, [0, 0.5, 10, 12], null];
const accepted: readonly object[] = [
  request,
  { model: 'fast' },
  { model: 'fast', image_url: 'https://example.com/a.png', audio_url: request.audio_url },
  { ...request, output_format: 'mp4', sync_mode: 'remap', speaker: { mode: 'auto' } },
  { ...request, speaker: { frame: 0, x: 0, y: 0.5 } },
  { ...request, speaker: { boxes } },
  { ...request, options: {} },
  { ...request, options: { expressiveness: 0, on_no_face: 'fail' } },
  { ...request, options: { expressiveness: 1, motion: false, style: 'flat' } },
  { ...request, model: 'balanced', sync_mode: 'loop' },
  { ...request, model: 'studio', sync_mode: 'bounce' },
  { ...request, options: { background: {} } },
  { ...request, options: { background: { mode: 'mix' } } },
  { ...request, options: { background: { mode: 'mix', volume: 0 } } },
  { ...request, segments: [{ start: 0, end: 1.5, audio: { start: 2, end: 3 } }] },
  {
    ...request,
    segments: [
      { start: 0, end: 1, audio: null },
      { start: 1, end: 2, audio: {} },
    ],
  },
];
const refused: readonly object[] = [
  {},
  { ...request, model: 'photo' },
  { ...request, audio_url: 'a.wav' },
  { ...request, audio_url: 'file:///etc/passwd' },
  { ...request, output_format: 'mov' },
  { ...request, sync_mode: 'cut' },
  { ...request, speaker: 'auto' },
  { ...request, speaker: {} },
  { ...request, speaker: { mode: 'auto', frame: 0, x: 0, y: 0 } },
  { ...request, speaker: { frame: 0.5, x: 0, y: 0 } },
  { ...request, speaker: { frame: 0, x: -1, y: 0 } },
  { ...request, speaker: { boxes: [] } },
  { ...request, speaker: { boxes: [[0, 0, 1]] } },
  { ...request, options: { expressiveness: -0.1 } },
  { ...request, options: { expressiveness: '1' } },
  { ...request, options: { on_no_face: 'skip' } },
  { ...request, options: { style: 'anime' } },
  { ...request, options: { background: { mode: 'loud' } } },
  { ...request, options: { background: { mode: 'mix', volume: 1.1 } } },
  { ...request, options: { background: { mode: 'mix', volume: -0.1 } } },
  { ...request, options: { background: 'mix' } },
  { ...request, segments: [] },
  { ...request, segments: [{ start: 0, end: 1 }] },
  { ...request, segments: [{ start: -1, end: 1, audio: null }] },
  { ...request, segments: [{ start: 0, end: 1, audio: { from: 1 } }] },
  { ...request, segments: [{ start: 0, end: '1', audio: {} }] },
  { ...request, segments: Array(101).fill({ start: 0, end: 1, audio: {} }) },
  { ...request, scale: 2 },
];

for (const body of accepted) {
  test(`${JSON.stringify(body)} is a request`, () => {
    assert.ok(LipsyncRequest.safeParse(body).success);
  });
}
for (const body of refused) {
  test(`${JSON.stringify(body)} is no request`, () => {
    assert.not.ok(LipsyncRequest.safeParse(body).success);
  });
}

test('a speaker comes through as it was said', () => {
  for (const speaker of [{ mode: 'auto' }, { frame: 3, x: 1, y: 2 }, { boxes }]) {
    assert.equal(Speaker.parse(speaker), speaker);
  }
});

test.run();
