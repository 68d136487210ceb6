import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bannerOf,
  frameOf,
  h264,
  makeClip,
  packetsOf,
  pattern,
  timesOf,
  tone,
  turn,
} from '../real/clip.ts';
import { withMedia } from '../real/media.ts';
import { tempDir } from '../real/run.ts';
import { ended, type Form, formOf, realService } from '../real/service.ts';
import { realTriton } from '../real/triton.ts';

const test = suite('videos over HTTP');
const dir = tempDir('videos');
const service = await realService(
  { UPSCALE_CHUNK_SECONDS: '0.5' },
  realTriton(['photo_realtime', 'animation_realtime', 'animation']),
);
const caller = await service.caller(5000);
const at = (name: string) => join(dir, name);

/** Sends a clip and downloads what comes back. */
const enhanced = async (path: string, fields: Form = {}) => {
  const answer = await caller.upscale(path, { model: 'animation', scale: 2, ...fields });
  assert.is(answer.status, 200, JSON.stringify(answer.data));
  const output = at(`out-${answer.data.id}.mp4`);
  writeFileSync(output, await caller.download(answer.data.output_url));
  return { result: answer.data, output };
};

const same = (one: readonly number[], two: readonly number[]) => {
  assert.is(one.length, two.length);
  one.forEach((time, i) => {
    assert.ok(Math.abs(time - (two[i] ?? Number.NaN)) < 2e-5, `${time} became ${two[i]} at ${i}`);
  });
};

test('an MP4 keeps its frames, its times and its sound bit for bit', async () => {
  const path = await makeClip(
    at('a.mp4'),
    [...pattern(0.6), ...tone(0.6)],
    [...h264, '-c:a', 'aac', '-shortest'],
  );
  const { result, output } = await enhanced(path);
  assert.is(result.output_size, '128x96');
  assert.is(result.frames, 15);
  assert.is(result.fps, 25);
  assert.ok(Math.abs(result.duration_seconds - 0.6) < 0.02, result.duration_seconds);
  assert.is(result.content_type, 'video/mp4');
  const banner = await bannerOf(output);
  assert.match(banner, /Video: h264/);
  assert.match(banner, /128x96/);
  same(await timesOf(path), await timesOf(output));
  assert.is(await packetsOf(output, 'a:0'), await packetsOf(path, 'a:0'));
  const coarse = await enhanced(path, { output: '{"quality":1}' });
  assert.ok(coarse.result.bytes < result.bytes, `${coarse.result.bytes} of ${result.bytes} bytes`);
});

test('a video is made in real time for a tenth of the price; the best is another result', async () => {
  const path = at('a.mp4');
  const estimate = async (effort?: string) => {
    const form = formOf([path], { model: 'animation', scale: 2, ...(effort && { effort }) });
    const { data } = await caller.http.post('/v1/upscale/estimate', form);
    return { release: data.release, line: data.lines[0].text };
  };
  const [usual, best] = [await estimate(), await estimate('best')];
  assert.is(usual.release, 'animation@s12', 'as a request names it, with the same effort');
  assert.match(usual.line, /× 0\.05$/);
  assert.is(best.release, 'animation@s13');
  assert.match(best.line, /× 0\.5$/);
  const told = (result: Record<string, unknown>) =>
    [result.model_used, result.model_version, result.effort, result.cached].join(' ');
  const again = await enhanced(path, { effort: 'realtime' });
  assert.is(told(again.result), 'animation animation_realtime-s12 realtime true');
  const named = await enhanced(path, { model: again.result.release });
  assert.equal([named.result.cached, named.result.release], [true, usual.release]);
  const other = await enhanced(path, { effort: 'best' });
  assert.is(told(other.result), 'animation animation-s13 best false');
  const fields = { model: 'detail', scale: 2, effort: 'realtime' };
  const { status, data } = await caller.upscale(path, fields);
  assert.equal([status, data.code], [422, 'unsupported_option_for_model']);
  assert.match(data.detail, /Expected effort best for the model detail; got realtime/);
});

/** How much the frames 2 to 10 differ from the one before each: the sum of squares. */
const unrest = async (path: string): Promise<number> => {
  const frames = await Promise.all(
    Array.from({ length: 10 }, (_, index) => frameOf(path, index + 1)),
  );
  const changes = frames.slice(1).map((frame, i) => {
    const before = frames[i] ?? frame;
    return frame.reduce((sum, value, at) => sum + (value - (before[at] ?? 0)) ** 2, 0);
  });
  return changes.reduce((sum, change) => sum + change, 0);
};

for (const [says, seconds] of [
  ['in one go', 0.5],
  ['in chunks', 1.2],
] as const)
  test(`a still picture with noise flickers less, ${says}, unless denoise is off`, async () => {
    const still = `color=gray:size=64x48:rate=25:duration=${seconds},noise=c0s=3:c0f=t`;
    const coding = [...h264, '-crf', '4', '-g', '15'];
    const path = await makeClip(at(`still-${seconds}.mp4`), ['-f', 'lavfi', '-i', still], coding);
    for (const model of ['photo', 'animation']) {
      const [usual, off] = [
        await enhanced(path, { model }),
        await enhanced(path, { model, denoise: 'off' }),
      ];
      assert.is(usual.result.cached || off.result.cached, false);
      const [calm, raw] = [await unrest(usual.output), await unrest(off.output)];
      assert.ok(calm < 0.6 * raw, `${model}: ${calm} of ${raw}`);
    }
  });

for (const [says, seconds] of [
  ['in one go', 0.4],
  ['in chunks', 1.4],
] as const)
  test(`a noisy video loses its noise ${says}, unless denoise is off`, async () => {
    const colours = 'c0=0x405868:c1=0xb8a878:nb_colors=2:x0=0:y0=0:x1=191:y1=143';
    const drawn = `gradients=size=192x144:rate=25:duration=${seconds}:${colours}`;
    const noisy = `${drawn},format=yuv420p,noise=c0s=24:c0f=t`;
    const coding = [...h264, '-crf', '12', '-g', '15'];
    const path = await makeClip(at(`noisy-${seconds}.mp4`), ['-f', 'lavfi', '-i', noisy], coding);
    const [usual, off] = [
      await enhanced(path, { model: 'photo' }),
      await enhanced(path, { model: 'photo', denoise: 'off' }),
    ];
    assert.is(usual.result.frames, off.result.frames);
    // Noise takes most of the bytes of a file.
    assert.ok(
      usual.result.bytes < off.result.bytes / 4,
      `${usual.result.bytes} of ${off.result.bytes}`,
    );
  });

test('variable frame times come back as they were', async () => {
  const uneven = [
    '-vf',
    "setpts='(N*N+3*N)/(50*TB)'",
    '-fps_mode',
    'passthrough',
    '-enc_time_base',
    '1/1000',
  ];
  const path = await makeClip(at('vfr.mp4'), pattern(0.4), [...uneven, ...h264]);
  const { output } = await enhanced(path);
  const times = await timesOf(path);
  assert.ok(new Set(times.map((time, i) => (time - (times[i - 1] ?? 0)).toFixed(3))).size > 5);
  same(times, await timesOf(output));
});

test('29.97 frames a second stay 30000/1001', async () => {
  const path = await makeClip(at('ntsc.mov'), pattern(0.5, '30000/1001'), h264);
  const { result, output } = await enhanced(path);
  assert.ok(Math.abs(result.fps - 30_000 / 1001) < 0.001, result.fps);
  same(await timesOf(path), await timesOf(output));
});

test('a turned phone clip is shown upright and not turned twice', async () => {
  const lying = await makeClip(at('lying.mp4'), pattern(0.2), h264);
  const path = await turn(lying, at('turned.mp4'));
  const { result, output } = await enhanced(path);
  assert.is(result.input_size, '48x64');
  assert.is(result.output_size, '96x128');
  assert.not.match(await bannerOf(output), /rotation/);
});

for (const [name, made] of Object.entries({
  'clip.avi': ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le'],
  'clip.webm': ['-c:v', 'libvpx-vp9', '-cpu-used', '8', '-deadline', 'realtime', '-c:a', 'libopus'],
  'clip.mkv': ['-c:v', 'libx264', '-bf', '3', '-c:a', 'pcm_s16le'],
  'clip.mov': [
    '-c:v',
    'libx264',
    '-pix_fmt',
    'yuv420p10le',
    '-preset',
    'ultrafast',
    '-c:a',
    'pcm_s16le',
  ],
})) {
  test(`${name} becomes H.264 with sound in MP4`, async () => {
    const path = await makeClip(at(name), [...pattern(0.4), ...tone(0.4)], made);
    const { result, output } = await enhanced(path);
    assert.is(result.frames, 10);
    const banner = await bannerOf(output);
    assert.match(banner, /Video: h264.*yuvj?420p/);
    assert.match(banner, name === 'clip.webm' ? /Audio: opus/ : /Audio: aac/);
  });
}

test('a video in chunks keeps its subtitles and chapters; its estimate and result tell what is left out', async () => {
  const said = '1\n00:00:00,400 --> 00:00:01,100\nAcross two chunks\n\n';
  writeFileSync(at('said.srt'), said);
  const chapter = (start: number, end: number) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${start}\nEND=${end}\n`;
  writeFileSync(at('chapters.txt'), `;FFMETADATA1\n${chapter(0, 500)}${chapter(500, 1600)}`);
  const inputs = ['-i', at('said.srt'), '-i', at('chapters.txt'), ...pattern(1.6, 10)];
  const maps = [...['-map', '0', '-map', '1', '-map', '3'], '-map_chapters', '2'];
  const path = await makeClip(
    at('told.mp4'),
    [...pattern(1.6), ...inputs, ...maps],
    [...[...h264, '-g', '10', '-c:s', 'mov_text', '-movie_timescale', '1000']],
  );
  const form = formOf([path], { model: 'animation', scale: 2 });
  const { data: estimate } = await caller.http.post('/v1/upscale/estimate', form);
  const { result, output } = await enhanced(path);
  const srt = await makeClip(at('kept.srt'), ['-i', output, '-map', '0:s:0']);
  assert.is(readFileSync(srt, 'utf8'), said);
  const banner = await bannerOf(output);
  assert.is(banner.match(/Subtitle: mov_text/g)?.length, 1);
  assert.match(banner, /Chapter #0:1: start 0\.5\d*, end 1\.6/);
  for (const { warnings } of [estimate, result]) {
    assert.equal(
      warnings.map(({ code }: { code: string }) => code),
      ['tracks_left_out'],
    );
    assert.match(warnings[0].detail, /left out: 1 further video track\.$/);
  }
});

test('HDR of 10 bits stays HDR, and its estimate and result tell that they have 8', async () => {
  const tags = 'setparams=colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084';
  const deep = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p10le', '-preset', 'ultrafast'];
  const path = await makeClip(at('hdr.mp4'), [...pattern(0.2), '-vf', tags], deep);
  const form = formOf([path], { model: 'animation', scale: 2 });
  const { data: estimate } = await caller.http.post('/v1/upscale/estimate', form);
  const { result, output } = await enhanced(path);
  assert.match(await bannerOf(output), /yuv420p\(tv, bt2020nc\/bt2020\/smpte2084/);
  for (const { warnings } of [estimate, result]) {
    assert.equal(
      warnings.map(({ code }: { code: string }) => code),
      ['depth_reduced'],
    );
    assert.match(warnings[0].detail, /HDR \(PQ\) with 10 bits .* has 8/);
  }
});

test('odd sizes, no sound and colour tags pass', async () => {
  const tags = [
    '-colorspace',
    'bt709',
    '-color_primaries',
    'bt709',
    '-color_trc',
    'bt709',
    '-color_range',
    'tv',
  ];
  const path = await makeClip(
    at('odd.mp4'),
    [...pattern(0.2), '-vf', 'scale=65:47'],
    ['-c:v', 'libx264', '-pix_fmt', 'yuv444p', ...tags],
  );
  const { result, output } = await enhanced(path);
  assert.is(result.output_size, '130x94');
  assert.match(await bannerOf(output), /yuv420p\(tv, bt709/);
});

test('colours stay what they were', async () => {
  const flat = ['-f', 'lavfi', '-i', 'color=c=0x30A0E0:size=64x48:rate=25:duration=0.2'];
  const path = await makeClip(at('flat.mp4'), flat, h264);
  const { output } = await enhanced(path, { model: 'photo' });
  const [before, after] = await Promise.all([frameOf(path, 2), frameOf(output, 2)]);
  for (const channel of [0, 1, 2]) {
    const off = Math.abs((before[channel] ?? 0) - (after[channel] ?? 0));
    assert.ok(off <= 3, `channel ${channel} moved by ${off}`);
  }
});

test('a video given as image_url or image part is taken as a video', async () => {
  const form = new FormData();
  form.append('model', 'animation');
  form.append('scale', '2');
  form.append('image', new Blob([readFileSync(at('a.mp4'))]), 'a.png');
  const { status, data } = await caller.http.post('/v1/upscale', form);
  assert.is(status, 200, JSON.stringify(data));
  assert.is(data.cached, true);
  assert.is(data.content_type, 'video/mp4');
});

test('a running video says how far it is, and cancelling stops it in the middle, free', async () => {
  const before = (await caller.balance()).available;
  const path = await makeClip(at('long.mp4'), pattern(4, 25, '80x60'), h264);
  const { data } = await caller.upscale(
    path,
    { model: 'animation', scale: 4, effort: 'best' },
    { prefer: 'respond-async' },
  );
  const running = await caller.until(data.id, ({ progress }) => (progress?.frames_done ?? 0) >= 2);
  assert.is(running.progress?.frames_total, 100);
  assert.ok(running.cost.held > 0);
  await caller.http.post(`/v1/jobs/${data.id}/cancel`);
  const job = await caller.until(data.id, ended);
  assert.is(job.status, 'canceled');
  assert.ok((job.progress?.frames_done ?? 0) < 100);
  assert.is(job.cost.charged, 0);
  assert.is((await caller.balance()).available, before);
  assert.is((await caller.http.post(`/v1/jobs/${data.id}/cancel`)).status, 200);
});

for (const file of ['vid_man_suit_700_vfr22.mp4', 'vid_man_kitchen_1080x1920.mp4']) {
  withMedia(test, `a small cut of ${file} keeps its times and its sound`, file, async (path) => {
    const small = ['-t', '0.4', '-vf', 'scale=90:-2', '-fps_mode', 'passthrough', '-c:a', 'copy'];
    const clip = await makeClip(at(file), ['-i', path], small);
    const { status, data } = await caller.upscale(clip, { model: 'photo', scale: 2 });
    assert.is(status, 200, JSON.stringify(data));
    const output = at(`out-${file}`);
    writeFileSync(output, await caller.download(data.output_url));
    const [before, after] = [await timesOf(clip), await timesOf(output)];
    assert.is(after.length, before.length);
    for (const [i, time] of before.entries()) assert.ok(Math.abs(time - (after[i] ?? 0)) < 2e-5);
    assert.is(await packetsOf(output, 'a:0'), await packetsOf(clip, 'a:0'));
  });
}

test('every account is clean after all this', async () => {
  const { clean, differences } = await service.audit(caller.account);
  assert.ok(clean, differences.join('\n'));
});

test.after(service.close);

test.run();
