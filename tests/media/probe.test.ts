import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isTelecined } from '../../src/media/probe/fields.ts';
import { probeVideo } from '../../src/media/probe/probe.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { at, ffmpeg, limits, probe, soon } from './clips.ts';
import { failing } from './failing.ts';

const test = suite('probe');
const near = (came: number, expected: number) =>
  assert.ok(Math.abs(came - expected) < 1e-4, `expected ${expected}; ${came} came`);

test('a clip of a known rate, with sound longer than it', async () => {
  const clip = await makeClip(at('a.mp4'), [...pattern(1), ...tone(1.5)], [...h264, '-c:a', 'aac']);
  const info = await probe(clip);
  assert.equal([info.size, info.frames, info.fps], [{ width: 64, height: 48 }, 25, 25]);
  near(info.durationSeconds, 1);
  near(info.mediaSeconds, 1.5);
  assert.ok(info.hasAudio && info.constantRate && !info.interlaced);
  assert.equal(info.audio, [{ index: 0, codec: 'aac', sampleRate: 48_000, mono: true }]);
});

test('29.97 and 30 are told apart', async () => {
  near(
    (await probe(await makeClip(at('b.mp4'), pattern(1, '30000/1001'), h264))).fps,
    30000 / 1001,
  );
  near((await probe(await makeClip(at('b.mp4'), pattern(1, 30), h264))).fps, 30);
});

test('a variable rate is told', async () => {
  const slower = ['-vf', "setpts='N*N/900/TB'", '-fps_mode', 'vfr', '-enc_time_base', '1/90000'];
  const info = await probe(await makeClip(at('c.mp4'), pattern(1, 30), [...slower, ...h264]));
  assert.not(info.constantRate);
  assert.is(info.frames, 30);
});

test('each container is read', async () => {
  for (const [name, codec, container] of [
    ['d.mov', ['-c:v', 'mpeg4'], 'mov'],
    ['d.avi', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'], 'avi'],
    ['d.webm', ['-c:v', 'libvpx', '-b:v', '1M'], 'matroska'],
    ['d.mkv', h264, 'matroska'],
  ] as const) {
    const info = await probe(await makeClip(at(name), pattern(0.4), codec));
    assert.equal([info.container, info.frames, info.hasAudio], [container, 10, false]);
  }
});

test('pictures of a Matroska that are coded in another order are where they are shown', async () => {
  const reordered = [
    '-c:v',
    'libx264',
    '-bf',
    '3',
    '-b_strategy',
    '0',
    '-x264-params',
    'b-pyramid=normal',
  ];
  const info = await probe(await makeClip(at('b.mkv'), pattern(2), reordered));
  assert.equal([info.frames, info.constantRate, info.durationSeconds], [50, true, 2]);
});

test('colours: what the file says, else what players take it for', async () => {
  const tags = 'range=pc:colorspace=bt709:color_primaries=bt709:color_trc=smpte170m';
  const told = ['-vf', `format=yuv420p,setparams=${tags}`, ...h264];
  const tagged = await probe(await makeClip(at('e.mp4'), pattern(0.2), told));
  const { matrix, fullRange, primaries, transfer } = tagged.colour;
  assert.equal([matrix, fullRange, primaries, transfer], ['bt709', true, 'bt709', 'smpte170m']);
  assert.is(
    (await probe(await makeClip(at('e.mp4'), pattern(0.2), h264))).colour.matrix,
    'smpte170m',
  );
  const large = await makeClip(at('e.mp4'), pattern(0.08, 25, '1280x720'), h264);
  assert.is((await probe(large)).colour.matrix, 'bt709');
  const upright = await makeClip(at('e.mp4'), pattern(0.08, 25, '576x1024'), h264);
  assert.is((await probe(upright)).colour.matrix, 'bt709');
  const rgb = await makeClip(at('e.mov'), pattern(0.2), ['-c:v', 'png', '-pix_fmt', 'rgb24']);
  assert.is((await probe(rgb)).colour.matrix, null);
});

test('pixels that are not square, and interlaced pictures, are told', async () => {
  const wide = await makeClip(at('f.mp4'), pattern(0.2), ['-vf', 'setsar=12/11', ...h264]);
  assert.equal((await probe(wide)).sampleAspect, { num: 12, den: 11 });
  const fields = [
    '-vf',
    'tinterlace=interleave_top,setfield=tff',
    '-flags',
    '+ildct+ilme',
    ...h264,
  ];
  assert.ok((await probe(await makeClip(at('f.mp4'), pattern(0.4, 50), fields))).interlaced);
});

test('two fields in pictures that do not say so are told by their lines, of heights that have fields', async () => {
  const combed = (lines: string) => [
    '-vf',
    `tinterlace=interleave_${lines},setfield=prog`,
    ...h264,
  ];
  for (const [height, output, fields] of [
    [480, combed('top'), 'tff'],
    [576, combed('bottom'), 'bff'],
    [360, combed('top'), undefined],
    [480, h264, undefined],
  ] as const) {
    const clip = await makeClip(at('f.mp4'), pattern(1.2, 50, `128x${height}`), output);
    const { interlaced, fields: found } = await probe(clip);
    assert.equal([interlaced, found], [fields !== undefined, fields], `${height} ${fields}`);
  }
  const still = ['-f', 'lavfi', '-i', 'color=gray:size=128x480:rate=25:duration=1'];
  assert.is((await probe(await makeClip(at('f.mp4'), still, h264))).fields, undefined);
});

test('film that became fields is told by the fields that repeat', () => {
  const names: Record<string, string> = { t: 'top', b: 'bottom' };
  const told = (text: string, first: 'tff' | 'bff' = 'tff') =>
    isTelecined(
      [...text].map((letter) => names[letter] ?? 'neither'),
      first,
    );
  for (const [film, first] of [
    ['..t.b..t.b..t.b..t.b', 'tff'],
    ['.b.t..b.t..b.t..b.t.', 'bff'],
    ['...tb..tb.........tb..tb.........tb', 'tff'],
    ['..t....t.........t....t....t....t....t....t', 'tff'],
  ] as const)
    assert.ok(told(film, first), film);
  for (const other of [
    '',
    '..t.b..t.b',
    '.tb.tb.tb.tb.tb.tb',
    '.b.t..b.t..b.t..b.t.',
    '.'.repeat(60),
  ])
    assert.not.ok(told(other), other);
});

test('sound alone, with cover art or without, is no video', async () => {
  const sound = await makeClip(at('g.mp4'), tone(0.3), ['-c:a', 'aac']);
  await failing(probe(sound), 'no_video_stream');
  const art = ['-c:a', 'aac', '-c:v', 'png', '-frames:v', '1', '-disposition:v:0', 'attached_pic'];
  const covered = await makeClip(at('g.mp4'), [...tone(0.3), ...pattern(0.04)], art);
  await failing(probe(covered), 'no_video_stream');
});

test('a video that is cut off is refused, of each container', async () => {
  const sound = [...pattern(1), ...tone(1)];
  for (const [name, codecs] of [
    ['end.mp4', h264],
    ['start.mp4', [...h264, '-movflags', '+faststart']],
    ['cut.mov', h264],
    ['cut.avi', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p']],
    ['cut.webm', ['-c:v', 'libvpx', '-b:v', '1M']],
  ] as const) {
    for (const part of [0.1, 0.55, 0.9]) {
      const clip = await makeClip(at(name), sound, codecs);
      truncateSync(clip, Math.floor(readFileSync(clip).length * part));
      const { message } = await failing(probe(clip), 'media_unreadable');
      assert.not.match(message, /enhance-/, 'the path of the file was told');
    }
  }
});

test('pictures of an unknown codec are told as such', async () => {
  const clip = await makeClip(at('unknown.mp4'), pattern(0.2), h264);
  writeFileSync(clip, readFileSync(clip, 'latin1').replaceAll('avc1', 'xyz1'), 'latin1');
  const { message } = await failing(probe(clip), 'media_unreadable');
  assert.match(message, /its pictures are of an unknown codec \(xyz1\)\.$/);
});

test('damaged pictures are told with what to do, not by words of the codec alone', async () => {
  const clip = await makeClip(at('damaged.mp4'), pattern(0.2), h264);
  const bytes = readFileSync(clip);
  const start = bytes.indexOf('mdat') + 4;
  writeFileSync(clip, bytes.fill(0x5a, start, bytes.indexOf('moov') - 4));
  const { message } = await failing(probe(clip), 'media_unreadable');
  assert.match(
    message,
    /: its pictures are damaged or of a kind .* \(ffmpeg says: .+\); .* export it anew, .*\.$/,
  );
});

test('an MP4 whose index never came is told as cut off', async () => {
  const clip = await makeClip(at('broken-off.mp4'), pattern(1), h264);
  truncateSync(clip, Math.floor(readFileSync(clip).length / 2));
  assert.match((await failing(probe(clip), 'media_unreadable')).message, 'the file is cut off');
});

test('a live recording, which announces no size, is read whole and refused where it is cut off', async () => {
  const codec = ['-c:v', 'libvpx', '-b:v', '1M', '-f', 'webm', '-live', '1'];
  const clip = await makeClip(at('live.webm'), [...pattern(1), ...tone(1)], codec);
  assert.is((await probe(clip)).frames, 25);
  for (const part of [0.3, 0.9]) {
    truncateSync(clip, Math.floor(readFileSync(clip).length * part));
    const { message } = await failing(probe(clip), 'media_unreadable');
    assert.match(message, /cut off: .* ffmpeg -i FILE -c copy kept\.mkv\.$/);
    const kept = await makeClip(at('kept.mkv'), ['-i', clip], ['-c', 'copy']);
    assert.ok((await probe(kept)).frames > 25 * part - 8);
    await makeClip(at('live.webm'), [...pattern(1), ...tone(1)], codec);
  }
});

test('pictures that nothing can be made of are refused', async () => {
  const clip = await makeClip(at('h.mp4'), pattern(0.4), [...h264, '-movflags', '+faststart']);
  const bytes = readFileSync(clip);
  const data = bytes.indexOf('mdat') + 4;
  writeFileSync(clip, bytes.fill(0x55, data));
  await failing(probe(clip), 'media_unreadable');
});

test('size and length beyond the limits are refused before any decoding', async () => {
  const clip = await makeClip(at('i.mp4'), pattern(1), h264);
  const strict = (change: object) =>
    probeVideo({ path: clip, ffmpeg, limits: { ...limits.video, ...change }, signal: soon() });
  await failing(strict({ longSide: 63 }), 'resolution_too_large');
  await failing(strict({ shortSide: 47 }), 'resolution_too_large');
  await failing(strict({ seconds: 0.5 }), 'media_too_long');
  const { message } = await failing(strict({ frames: 3 }), 'media_too_long');
  assert.is(message, 'The video may have at most 3 frames; got 4.');
  const long = await failing(strict({ frames: 12, seconds: 0.2 }), 'media_too_long');
  assert.is(long.message, 'The video may last at most 0.2 s; got at least 0.5 s.');
});

test('a header that lies about the length does not matter', async () => {
  const clip = await makeClip(at('j.mp4'), pattern(1), h264);
  const bytes = readFileSync(clip);
  const header = bytes.indexOf('mvhd');
  // Behind the name: version and flags, two dates, the time scale, then the duration.
  bytes.writeUInt32BE(0x7fffffff, header + 20);
  writeFileSync(clip, bytes);
  near((await probe(clip)).durationSeconds, 1);
});

test('an abort ends a probe with its own reason', async () => {
  const clip = await makeClip(at('k.mp4'), pattern(0.2), h264);
  const reason = new Error('enough');
  try {
    await probeVideo({
      path: clip,
      ffmpeg,
      limits: limits.video,
      signal: AbortSignal.abort(reason),
    });
    assert.unreachable();
  } catch (error) {
    assert.is(error, reason);
  }
});

test('an ffmpeg that is not there is no fault of the file', async () => {
  const clip = await makeClip(at('l.mp4'), pattern(0.2), h264);
  try {
    await probeVideo({
      path: clip,
      ffmpeg: { ...ffmpeg, path: at('no-ffmpeg') },
      limits: limits.video,
      signal: soon(),
    });
    assert.unreachable();
  } catch (error) {
    assert.match(error instanceof Error ? error.message : '', /could not be started/);
  }
});

test.run();
