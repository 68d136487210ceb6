/** What a probe finds travels in a job's record as JSON. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AudioInfo, ImageInfo, MediaInfo, VideoInfo } from '../../src/media/info.ts';
import { probeImage } from '../../src/media/probe/probe.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { h264, makeClip, pattern, tone, turn } from '../real/clip.ts';
import { at, ffmpeg, probe, soon } from './clips.ts';

const test = suite('info');
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test('a video comes back from JSON as it was probed, whatever its container, rate and sound', async () => {
  const uneven = ['-vf', "setpts='N*N/900/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1/90000'];
  const straight = await makeClip(at('a.mp4'), pattern(0.4, '30000/1001'), h264);
  for (const path of [
    straight,
    await turn(straight, at('turned.mp4')),
    await makeClip(at('b.mp4'), [...pattern(1), ...tone(1)], [...uneven, ...h264, '-c:a', 'aac']),
    await makeClip(at('c.avi'), pattern(0.2), ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p']),
    await makeClip(at('d.webm'), [...pattern(0.3), ...tone(0.5)], ['-c:v', 'libvpx']),
    await makeClip(at('e.mov'), pattern(0.04), ['-c:v', 'png', '-pix_fmt', 'rgb24']),
  ]) {
    const info = await probe(path);
    assert.equal(VideoInfo.parse(json(info)), info, path);
    assert.equal(MediaInfo.parse(json(info)), info, path);
  }
});

test('an image comes back from JSON as it was probed', async () => {
  const dot = sharp(Buffer.alloc(192), { raw: { width: 8, height: 8, channels: 3 } });
  for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
    await dot.clone().toFormat(format).toFile(at('dot'));
    const info = await probeImage(at('dot'));
    assert.equal(ImageInfo.parse(json(info)), info);
    assert.equal(MediaInfo.parse(json(info)), info);
  }
});

test('a sound comes back from JSON as it was probed', async () => {
  for (const [name, codec] of [
    ['s.wav', []],
    ['s.mp3', ['-c:a', 'libmp3lame']],
    ['s.m4a', ['-c:a', 'aac']],
  ] as const) {
    const path = await makeClip(at(name), tone(1.1), codec);
    const limits = { seconds: 300 };
    const info = await probeAudio({ path, ffmpeg, limits, signal: soon() });
    assert.equal(AudioInfo.parse(json(info)), info);
  }
});

test('a record of another version is refused: a field that is missing, or not a number', async () => {
  const info = await probe(await makeClip(at('f.mp4'), pattern(0.2), h264));
  const { timeBase: _, ...rest } = info;
  assert.not(VideoInfo.safeParse(json(rest)).success);
  assert.not(VideoInfo.safeParse(json({ ...info, fps: Number.NaN })).success);
  assert.not(MediaInfo.safeParse(json({ ...info, kind: 'audio' })).success);
});

test.run();
