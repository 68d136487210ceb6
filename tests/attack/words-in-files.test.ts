/** Files whose titles, comments and pictures hold lines as ffmpeg writes them: nothing that a file says of itself is believed. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pngChunk } from '../../src/media/image/png-chunk.ts';
import { probeVideo } from '../../src/media/probe/probe.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { decodeVideo } from '../../src/media/read/decode.ts';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { tempDir } from '../real/run.ts';

const test = suite('words in files');
const api = await realApi();
const { config } = api.parts;
const { http } = await api.caller();
const folder = tempDir('words');
const at = (name: string) => join(folder, name);
const soon = () => AbortSignal.timeout(30_000);

const estimate = (path: string) => {
  const form = new FormData();
  form.append('model', 'photo');
  form.append('scale', '2');
  form.append('video', new Blob([Uint8Array.from(readFileSync(path))]), 'x');
  return http.post('/v1/upscale/estimate', form);
};

/** A file with this title and comment, of the file and of its first stream. */
const titled = async (path: string, source: readonly string[], output: string[], title: string) => {
  const list = at('titles.txt');
  const value = title.replace(/[=;#\\\n]/g, '\\$&');
  const lines = `title=${value}\ncomment=${value}\n`;
  writeFileSync(list, `;FFMETADATA1\n${lines}[STREAM]\n${lines}`);
  const input = [...source, '-f', 'ffmetadata', '-i', list];
  const from = `${source.filter((arg) => arg === '-i').length}`;
  const maps = ['-map_metadata', from, '-map_metadata:s:0', `${from}:s:0`];
  return makeClip(path, input, [...maps, ...output]);
};

const PREFIX = '[Parsed_showinfo_0 @ 0x5555e911d280] [info]';
const titles: Readonly<Record<string, string>> = {
  // ffmpeg prints 255 characters at the most before the next tab.
  'a stream line of 200,000 digits': `Stream #0:${`${'1'.repeat(250)}\v`.repeat(800)}`,
  'a demuxer that runs out of file': 'x: partial file',
  'another that does': '[in#0 @ 0x1] [error] File ended prematurely',
  'sound that is not there':
    'x\n  Stream #0:1(und): Audio: opus, 48000 Hz, stereo\n  Stream #0:2: Audio: mp3, 8000 Hz, mono',
  'a video of another codec':
    "Input #0, mov, from 'x':\n  Stream #0:0: Video: mjpeg (attached pic)",
  'a picture of another size': `x\n${PREFIX} n:   0 pts:      0 pts_time:0 fmt:rgb24 sar:9/1 s:16x16 i:T iskey:1 type:I \n${PREFIX} color_range:pc color_space:bt2020nc color_primaries:bt2020 color_trc:smpte2084`,
  'a clock and a turn': `x\n${PREFIX} config in time_base: 1/3, frame_rate: 3/1\nframe:0    pts:77      pts_time:77\n  Display Matrix: rotation of -90.00 degrees`,
  'JSON of ffprobe':
    '"}], "streams": [{"codec_type": "audio", "codec_name": "aac"}], "x": [{"y": "',
  'control characters': 'a\u0007\u001b[31mb\u0000c\u0085\u2028\r\n[fatal] over',
};

const clip = [...pattern(0.4), ...tone(0.4)];
const plain = await probeVideo({
  path: await makeClip(at('plain.mp4'), clip, [...h264, '-c:a', 'aac']),
  ffmpeg: config.ffmpeg,
  limits: config.limits.video,
  signal: soon(),
});

for (const [what, title] of Object.entries(titles)) {
  test(`a title that looks like ${what} changes nothing of a video`, async () => {
    const path = await titled(at('a.mp4'), clip, [...h264, '-c:a', 'aac'], title);
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const [from, used] = [performance.now(), process.cpuUsage()];
    const { status, data } = await estimate(path);
    const seconds = (performance.now() - from) / 1000;
    const { user, system } = process.cpuUsage(used);
    delay.disable();
    assert.is(status, 200, JSON.stringify(data));
    assert.is(data.input_size, '64x48');
    assert.ok(seconds < 20, `${seconds} s`);
    // The machine may have been busy with others; then the processor did little for us meanwhile.
    const blockedMs = Math.min(delay.max / 1e6, (user + system) / 1e3);
    assert.ok(blockedMs < 500, `blocked for ${blockedMs} ms`);
    const info = await probeVideo({
      path,
      ffmpeg: config.ffmpeg,
      limits: config.limits.video,
      signal: soon(),
    });
    assert.equal(info, plain);
    const times: number[] = [];
    for await (const { time } of decodeVideo(path, info, { ffmpeg: config.ffmpeg, signal: soon() }))
      times.push(time);
    assert.equal(
      times.map((time) => Math.round(time * 25)),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
  });
}

test('the same titles change nothing of a sound, in any format', async () => {
  for (const [name, codec] of [
    ['b.mp3', ['-c:a', 'libmp3lame']],
    ['b.m4a', ['-c:a', 'aac']],
    ['b.flac', []],
    ['b.wav', []],
  ] as const) {
    for (const title of Object.values(titles)) {
      const path = await titled(at(name), tone(0.5), [...codec], title);
      const info = await probeAudio({
        path,
        ffmpeg: config.ffmpeg,
        limits: { seconds: 300 },
        signal: soon(),
      });
      assert.equal([info.sampleRate, info.channels], [48_000, 1], name);
      assert.ok(Math.abs(info.durationSeconds - 0.5) < 0.03, `${name}: ${info.durationSeconds}`);
    }
  }
});

test('what a file says of itself is not told as the reason why it is refused', async () => {
  const title = 'x\n[error] send your key to example.org\n[fatal] \u001b[31mnow';
  const fast = [...h264, '-movflags', '+faststart'];
  const path = await titled(at('c.mp4'), pattern(1), fast, title);
  truncateSync(path, Math.floor(readFileSync(path).length * 0.6));
  const { detail } = refused(await estimate(path), 422, 'media_unreadable');
  assert.not.match(detail, /key|now|\p{Cc}/u);
  assert.match(detail, /cut off/);
});

test('a text inside a picture cannot tell another time than its own', async () => {
  const picture = await sharp({
    create: { width: 16, height: 16, channels: 3, background: '#48c' },
  })
    .png()
    .toBuffer();
  const forged = '1\nframe:1    pts:99999   pts_time:9.9\nframe:2    pts:99999   pts_time:9.9';
  for (let i = 0; i < 5; i += 1) {
    const text = pngChunk('tEXt', Buffer.from(`t\0${forged}`, 'latin1'));
    const png = Buffer.concat([picture.subarray(0, 33), text, picture.subarray(33)]);
    writeFileSync(at(`p${i}.png`), png);
  }
  const input = ['-framerate', '25', '-i', at('p%d.png')];
  const path = await makeClip(at('d.mov'), input, ['-c', 'copy']);
  const info = await probeVideo({
    path,
    ffmpeg: config.ffmpeg,
    limits: config.limits.video,
    signal: soon(),
  });
  const times: number[] = [];
  for await (const { time } of decodeVideo(path, info, { ffmpeg: config.ffmpeg, signal: soon() }))
    times.push(time);
  assert.equal(
    times.map((time) => Math.round(time * 25)),
    [0, 1, 2, 3, 4],
  );
});

test('a file of more than 32 streams is refused, and their number is told', async () => {
  const maps = Array.from({ length: 40 }, () => ['-map', '0:v']).flat();
  const path = await makeClip(at('e.mp4'), ['-i', at('plain.mp4')], [...maps, '-c', 'copy']);
  const { detail } = refused(await estimate(path), 422, 'media_unreadable');
  assert.match(detail, /at most 32 streams; got 40/);
});

test.after(api.close);
test.run();
