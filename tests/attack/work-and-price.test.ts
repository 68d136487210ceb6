/** Videos whose length says little of the work that they are, sent to a real API: what is done is what is limited and paid. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';

const test = suite('work and price');
const api = await realApi({ RATE_CREATE_PER_MINUTE: '10000', ACCOUNT_QUEUED_LIMIT: '1000' });
const { http } = await api.caller({ credits: 100_000 });
const folder = tempDir('work');
const at = (name: string): string => join(folder, name);

const tiny = [...h264, '-g', '1000', '-x264-params', 'scenecut=0'];
const made = (name: string, source: readonly string[], output: readonly string[] = h264) =>
  makeClip(at(name), source, output);
const again = (name: string, of: string, more: number) =>
  made(name, ['-stream_loop', String(more), '-i', at(of)], ['-c', 'copy']);
await Promise.all([
  made('fast.mp4', pattern(1, 10_000, '64x64'), tiny),
  made('usual.mp4', pattern(2, 30, '64x64')),
  made('double.mp4', pattern(2, 60, '64x64')),
  made('slow.mp4', pattern(8, '1/2', '64x64')),
  made('speck.mp4', pattern(0.1, 10_000, '16x16'), tiny),
  made('200.mp4', pattern(0.2, 200, '64x64')),
  made('single.mp4', pattern(0.04, 25, '64x64')),
  made('pixel.mov', pattern(1, 25, '2x2'), ['-c:v', 'png', '-vf', 'format=rgb24,crop=1:1']),
  made('strip.mov', pattern(1, 2, '2x1024'), [
    '-c:v',
    'png',
    '-vf',
    'format=rgb24,crop=1:1024:0:0',
  ]),
  made('voice.wav', tone(2), ['-ar', '8000']),
  made('long.wav', tone(100), ['-ar', '8000']),
  made('second.wav', tone(1), ['-ar', '8000']),
]);
await again('many.mp4', 'speck.mp4', 36);

type Fields = Readonly<Record<string, string>>;
const formOf = (files: Fields, fields: Fields): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, file] of Object.entries(files))
    form.append(name, new Blob([Uint8Array.from(readFileSync(at(file)))]), file);
  return form;
};
const upscale = (video: string, fields: Fields = {}) =>
  ({
    path: '/v1/upscale',
    form: () => formOf({ video }, { model: 'photo', scale: '2', effort: 'best', ...fields }),
  }) as const;
const lipsync = (video: string, audio: string, fields: Fields = {}) =>
  ({
    path: '/v1/lipsync',
    form: () => formOf({ video, audio }, { model: 'fast', ...fields }),
  }) as const;
type Ask = ReturnType<typeof upscale> | ReturnType<typeof lipsync>;
const estimate = ({ path, form }: Ask) => http.post(`${path}/estimate`, form());
const order = ({ path, form }: Ask) =>
  http.post(path, form(), { headers: { prefer: 'respond-async' } });

const priced: [says: string, ask: Ask, credits: number, text: RegExp][] = [
  // 0.262144 MP × 10,000 frames / 30 × 0.5, where it was 1 for the one second.
  [
    '1 s of 10,000 frames costs its frames',
    upscale('fast.mp4', { scale: '8' }),
    44,
    /10000 frames at 30 a second/,
  ],
  [
    '2 s at 30 frames a second cost 2 s',
    upscale('usual.mp4', { scale: '8' }),
    1,
    /0.262144 MP × 2 s × 0.5/,
  ],
  [
    '2 s at 60 frames a second cost 4 s',
    upscale('double.mp4', { scale: '8' }),
    1,
    /× 4 s \(120 frames/,
  ],
  ['a frame of two seconds costs two seconds', upscale('slow.mp4'), 1, /0.016384 MP × 8 s × 0.5/],
  [
    '1,000 specks cost the least of 1,000 frames',
    upscale('speck.mp4'),
    1,
    /0.01 MP \(the least for a frame\) × 33.333333 s/,
  ],
  ['a video of one pixel has a price', upscale('pixel.mov'), 1, /0.01 MP/],
  ['a strip is paid as one of 16 pixels', upscale('strip.mov'), 1, /0.032768 MP/],
  ['a single frame has a price', upscale('single.mp4'), 1, /× 0.04 s/],
  [
    'lip sync of a tenth of a second of 1,000 frames costs its frames',
    lipsync('speck.mp4', 'second.wav'),
    34,
    /1000 frames at 30/,
  ],
  [
    'lip sync of a usual clip costs its seconds',
    lipsync('usual.mp4', 'voice.wav'),
    2,
    /fast: 2 s × 1/,
  ],
  [
    'a clip of 60 frames a second costs twice as much',
    lipsync('double.mp4', 'voice.wav'),
    4,
    /\(120 frames/,
  ],
  [
    'a fast clip that is looped costs all its frames',
    lipsync('200.mp4', 'voice.wav', { sync_mode: 'loop' }),
    14,
    /\(400 frames/,
  ],
  [
    'and so does one that goes to and fro',
    lipsync('200.mp4', 'voice.wav', { sync_mode: 'bounce' }),
    14,
    /\(400 frames/,
  ],
  [
    'one that is stretched',
    lipsync('200.mp4', 'voice.wav', { sync_mode: 'remap' }),
    14,
    /\(400 frames/,
  ],
  [
    'and one whose last frame stays',
    lipsync('200.mp4', 'voice.wav', { sync_mode: 'silence' }),
    14,
    /\(400 frames/,
  ],
];
for (const [says, ask, credits, text] of priced) {
  test(`${says}, and the job holds what the estimate says`, async () => {
    const { status, data } = await estimate(ask);
    assert.is(status, 200, JSON.stringify(data));
    assert.is(data.credits, credits, JSON.stringify(data.lines));
    assert.match(data.lines[0].text, text);
    const job = await order(ask);
    assert.is(job.status, 202, JSON.stringify(job.data));
    assert.equal(job.data.cost, { estimated: credits, held: credits, charged: 0 });
  });
}

test('3.7 s of 37,000 frames are more than ten minutes may have', async () => {
  for (const answer of [await estimate(upscale('many.mp4')), await order(upscale('many.mp4'))]) {
    const { detail } = refused(answer, 413, 'media_too_long');
    assert.match(detail, /^The video may have at most 36000 frames; got 3[67]\d{3}\.$/);
  }
  const { detail } = refused(
    await estimate(lipsync('many.mp4', 'voice.wav')),
    413,
    'media_too_long',
  );
  assert.match(detail, /^The video may have at most 18000 frames; got \d{5}\.$/);
});

test('0.2 s at 200 frames a second, looped for 100 s, is more than five minutes may have', async () => {
  for (const sync_mode of ['loop', 'bounce', 'remap', 'silence']) {
    const answer = await estimate(lipsync('200.mp4', 'long.wav', { sync_mode }));
    const { detail } = refused(answer, 413, 'output_too_large');
    assert.match(detail, /at most 18000 frames; it would have 20000/);
  }
});

test('all frames of an output together have a limit', async () => {
  const strict = await realApi({ VIDEO_MAX_OUTPUT_GIGAPIXELS: '1' });
  try {
    const by = await strict.caller();
    const answer = await by.http.post(
      '/v1/upscale/estimate',
      upscale('fast.mp4', { scale: '8' }).form(),
    );
    const { detail } = refused(answer, 413, 'output_too_large');
    assert.match(
      detail,
      /at most 1 gigapixels in all frames together; it would have 2.6 \(10000 of 512x512\)/,
    );
  } finally {
    await strict.close();
  }
});

test('the limits of frames are told with the models', async () => {
  const { data } = (await http.get('/v1/models')).data;
  const limits = data.map(
    ({ limits }: { limits: { video: { max_frames: number } } }) => limits.video.max_frames,
  );
  assert.equal(limits, [...Array(5).fill(36_000), ...Array(3).fill(18_000)]);
});

test.after(api.close);
test.run();
