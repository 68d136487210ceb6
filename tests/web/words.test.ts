import { test } from 'uvu';
import * as assert from 'uvu/assert';
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

test.run();
