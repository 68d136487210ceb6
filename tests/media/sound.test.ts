/** Sound files: what they are, how long, and what the models hear of them. */
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../src/errors.ts';
import { HEARD_RATE, readHeard } from '../../src/media/heard.ts';
import { probeAudio } from '../../src/media/probe/probe-audio.ts';
import { decodeAudio, decodeOwnAudio } from '../../src/media/read/decode-audio.ts';
import { h264, makeClip, pattern, tone } from '../real/clip.ts';
import { skip } from '../real/skip.ts';
import { smallDisk } from '../real/small-disk.ts';
import { again, at, ffmpeg, probe, soon } from './clips.ts';
import { failing } from './failing.ts';

const test = suite('sound');
const probeSound = (path: string) =>
  probeAudio({ path, ffmpeg, limits: { seconds: 300 }, signal: soon() });
const near = (came: number, expected: number, within: number) =>
  assert.ok(Math.abs(came - expected) <= within, `expected ${expected} ± ${within}; ${came} came`);
/** The loudest sample's time and the mean power, of what the models hear. */
const heard = async (path: string) =>
  decodeAudio(path, await probeSound(path), { ffmpeg, signal: soon() });
const power = (samples: Float32Array) =>
  samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
/** Half a second of silence, then a tone of a tenth. */
const beep = (seconds: number): string[] => [
  ...['-f', 'lavfi', '-i'],
  `aevalsrc='if(between(t,0.5,0.6),0.5*sin(2*PI*1000*t),0)':s=48000:d=${seconds}`,
];
const onset = (samples: Float32Array) => samples.findIndex((s) => Math.abs(s) > 0.05) / HEARD_RATE;

test('each format is measured to the sample, or as well as it tells', async () => {
  for (const [name, codec, within] of [
    ['a.wav', ['-c:a', 'pcm_s24le'], 0],
    ['a.wav', ['-c:a', 'pcm_s16le', '-rf64', 'always'], 0],
    ['a.aiff', ['-c:a', 'pcm_s16be'], 0],
    ['a.caf', ['-c:a', 'alac'], 0.04],
    ['a.caf', ['-c:a', 'pcm_s16le'], 0],
    ['a.flac', [], 0],
    ['a.au', [], 0],
    ['a.w64', [], 0],
    ['a.wv', [], 0],
    ['a.ac3', [], 0.04],
    ['a.eac3', [], 0.04],
    ['a.mp3', ['-c:a', 'libmp3lame', '-q:a', '4'], 0],
    ['a.mp3', ['-c:a', 'libmp3lame', '-id3v2_version', '0', '-write_xing', '0'], 0.06],
    ['a.m4a', ['-c:a', 'aac'], 0.025],
    ['a.mp4', ['-c:a', 'aac'], 0.025],
    ['a.aac', ['-c:a', 'aac'], 0.05],
  ] as const) {
    const { durationSeconds, sampleRate, channels } = await probeSound(
      await makeClip(at(name), tone(1.25), codec),
    );
    near(durationSeconds, 1.25, within + 1e-6);
    assert.equal([sampleRate, channels], [48_000, 1], name);
  }
});

test('an MP3 is known by its frames, whatever lies before the first one', async () => {
  const bare = ['-c:a', 'libmp3lame', '-id3v2_version', '0', '-write_xing', '0'];
  for (const hertz of ['44100', '24000', '8000']) {
    const whole = readFileSync(await makeClip(at('n.mp3'), tone(1), [...bare, '-ar', hertz]));
    const tag = Buffer.from([...Buffer.from('ID3\x04\0\0'), 0, 0, 2, 44, ...Buffer.alloc(300)]);
    for (const [name, bytes] of [
      ['cut', whole.subarray(100)],
      ['zeros', Buffer.concat([Buffer.alloc(5000), whole])],
      ['filled', Buffer.concat([tag, Buffer.alloc(3000), whole])],
    ] as const) {
      writeFileSync(at(`${name}.mp3`), bytes);
      const { container, durationSeconds } = await probeSound(at(`${name}.mp3`));
      assert.is(container, 'mp3', `${name} ${hertz}`);
      near(durationSeconds, 1.05, 0.2);
    }
  }
  // Fewer frames than a row has.
  const whole = readFileSync(at('n.mp3'));
  writeFileSync(at('short.mp3'), Buffer.concat([Buffer.alloc(9), whole.subarray(0, 150)]));
  await failing(probeSound(at('short.mp3')), 'unsupported_media_type');
});

test('a recording of a phone in AMR is measured', async () => {
  const frame = Buffer.alloc(32); // 20 ms of 12.2 kbit/s: a byte that says so, then 31 bytes
  frame[0] = 0x3c;
  const path = at('a.amr');
  writeFileSync(path, Buffer.concat([Buffer.from('#!AMR\n'), ...Array(75).fill(frame)]));
  const { durationSeconds, sampleRate, channels } = await probeSound(path);
  assert.equal([durationSeconds, sampleRate, channels], [1.5, 8_000, 1]);
  assert.is((await heard(path)).length, 1.5 * HEARD_RATE);
});

test('channels that the file names in a way that cannot be mixed are taken in their order', async () => {
  const stereo = 'aformat=channel_layouts=stereo';
  const plain = await makeClip(at('stereo.wav'), tone(0.3), ['-af', stereo]);
  const odd = ['-af', `${stereo},channelmap=0|1:FL+FC`];
  const clip = await makeClip(
    at('odd.mov'),
    [...pattern(0.3), ...tone(0.3)],
    [...h264, ...odd, '-c:a', 'pcm_s16le'],
  );
  assert.equal(await heard(clip), await heard(plain));
  const result = await again(clip);
  assert.equal(await probe(result.target).then(({ audio }) => audio.length), 1);
});

test('channels that cancel each other out are heard by the left one; silence is silence', async () => {
  const both = (right: string) => ['-af', `pan=stereo|c0=c0|c1=${right}`];
  const plain = await makeClip(at('plain.wav'), tone(1));
  const path = await makeClip(at('opposed.wav'), tone(1), both('-1*c0'));
  const info = await probeHeard(path);
  assert.is(info.alone, 'left');
  const came = await readHeard(`${path}.heard`);
  assert.equal(came, await heard(plain));
  assert.equal(await decodeAudio(path, info, { ffmpeg, signal: soon() }), came);

  // The same of the sound that a video has.
  const own = async (sound: readonly string[], name: string) => {
    const clip = await makeClip(
      at(name),
      [...pattern(0.3), ...tone(0.3)],
      [...h264, ...sound, '-c:a', 'pcm_s16le'],
    );
    return decodeOwnAudio(clip, await probe(clip), { from: 0, ffmpeg, signal: soon() });
  };
  assert.equal(await own(both('-1*c0'), 'wired.mov'), await own(['-ac', '1'], 'mono.mov'));

  // Not alike in level; and what they have in common, as one that is silent.
  for (const [right, alone] of [
    ['-0.8*c0', 'left'],
    ['0.5*c0', undefined],
    ['0*c0', undefined],
    ['c0', undefined],
  ] as const) {
    const pair = await makeClip(at('pair.wav'), tone(1), both(right));
    assert.is((await probeHeard(pair)).alone, alone, right);
    if (alone) assert.equal(await readHeard(`${pair}.heard`), await heard(plain));
  }
  const silent = ['-f', 'lavfi', '-i', 'anullsrc=r=48000:cl=stereo:d=1'];
  const { alone } = await probeHeard(await makeClip(at('silent.wav'), silent));
  assert.is(alone, undefined);
});

test('a voice in the centre or on one side is heard without the music beside it; in all other layouts the mix is heard', async () => {
  const [voice, music] = ['0.1*sin(2*PI*500*t)*lt(mod(t,0.2),0.1)', '0.1*sin(2*PI*900*t)'];
  const layouts = ['3.0', '5.1', '7.1'].map(
    (layout) => [layout, layout[0] === '7' ? 8 : layout[0] === '5' ? 6 : 3] as const,
  );
  const sound = (centre: string, layout: string, channels: number, side = music) => [
    ...['-f', 'lavfi', '-i'],
    `aevalsrc='${[side, side, centre, ...Array(channels - 3).fill('0')].join('|')}':c=${layout}:s=48000:d=0.5`,
  ];
  const float = ['-c:a', 'pcm_f32le'];
  const mono = ['-f', 'lavfi', '-i', `aevalsrc='${voice}':s=48000:d=0.5`];
  const alone = await heard(await makeClip(at('alone.wav'), mono, float));
  for (const [layout, channels] of layouts) {
    const film = await makeClip(at('film.wav'), sound(voice, layout, channels), float);
    const info = await probeHeard(film);
    assert.is(info.alone, 'centre', layout);
    assert.equal(await readHeard(`${film}.heard`), alone);
    assert.equal(await decodeAudio(film, info, { ffmpeg, signal: soon() }), alone);
  }
  for (const [centre, side] of [
    ['0', music],
    [`0.02*${voice}`, music],
    [`0.3*${voice}`, music],
    [music, voice],
    [voice, voice],
    [voice, '0'],
  ] as const) {
    const path = await makeClip(at('plain.wav'), sound(centre, '5.1', 6, side), float);
    assert.is((await probeHeard(path)).alone, undefined, `${centre} ${side}`);
  }
  const pair = ['-f', 'lavfi', '-i', `aevalsrc='${music}|${voice}':c=stereo:s=48000:d=0.5`];
  const path = await makeClip(at('pair.wav'), pair, float);
  const info = await probeHeard(path);
  assert.is(info.alone, 'right');
  assert.equal(await readHeard(`${path}.heard`), alone);
  assert.equal(await decodeAudio(path, info, { ffmpeg, signal: soon() }), alone);
  // Without a header that states its channels.
  const ac3 = await makeClip(at('film.ac3'), sound(voice, '5.1', 6));
  assert.is((await probeHeard(ac3)).alone, 'centre');
  const quad = ['-f', 'lavfi', '-i', `aevalsrc='${music}|0|${voice}|0':c=quad:s=48000:d=0.5`];
  assert.is((await probeHeard(await makeClip(at('quad.wav'), quad, float))).alone, undefined);

  const clip = await makeClip(
    at('film.mov'),
    [...pattern(0.5), ...sound(voice, '5.1', 6)],
    [...h264, ...float],
  );
  const own = await decodeOwnAudio(clip, await probe(clip), { from: 0, ffmpeg, signal: soon() });
  assert.equal(own, alone);
});

test('any rate and any number of channels is heard as 16 kHz mono', async () => {
  for (const [rate, layout, channels] of [
    [8_000, 'mono', 1],
    [44_100, 'stereo', 2],
    [96_000, '5.1', 6],
  ] as const) {
    const format = ['-af', `aformat=sample_rates=${rate}:channel_layouts=${layout}`];
    const path = await makeClip(at('b.wav'), tone(1), [...format, '-c:a', 'pcm_s16le']);
    const info = await probeSound(path);
    assert.equal([info.sampleRate, info.channels], [rate, channels]);
    const samples = await heard(path);
    near(samples.length, HEARD_RATE, 40);
    assert.ok(power(samples) > 1e-4, `${layout}: ${power(samples)}`);
  }
});

/** Probes while the sound is written for the models; the file lies at `${path}.heard`. */
const probeHeard = (path: string, heardPath = `${path}.heard`) =>
  probeAudio({ path, ffmpeg, limits: { seconds: 300 }, signal: soon(), heardPath });

test('the samples that a probe writes are those of a decoder of its own, bit for bit', async () => {
  const music = (rate: number, layout: string) => [
    ...['-f', 'lavfi', '-i'],
    `aevalsrc='0.4*sin(2*PI*(300+90*t)*t)|0.3*random(0)':s=${rate}:d=2.3,aformat=channel_layouts=${layout}`,
  ];
  for (const [name, rate, layout, codec] of [
    ['j.wav', 48_000, 'stereo', ['-c:a', 'pcm_s24le']],
    ['j.wav', 44_100, 'mono', ['-c:a', 'pcm_s16le']],
    ['j.wav', 96_000, '5.1', ['-c:a', 'pcm_f32le']],
    ['j.mp3', 44_100, 'stereo', ['-c:a', 'libmp3lame']],
    ['j.m4a', 48_000, 'stereo', ['-c:a', 'aac']],
    ['j.aac', 44_100, 'mono', ['-c:a', 'aac']],
    ['j.flac', 44_100, 'stereo', []],
    ['j.flac', 16_000, 'mono', []],
  ] as const) {
    const path = await makeClip(at(name), music(rate, layout), codec);
    const info = await probeHeard(path);
    assert.equal(info, await probeSound(path), `${name} ${rate}`);
    const [written, decoded] = [await readHeard(`${path}.heard`), await heard(path)];
    assert.ok(written.length > 2.2 * HEARD_RATE, `${name} ${rate}: ${written.length} samples`);
    assert.ok(Buffer.from(written.buffer).equals(Buffer.from(decoded.buffer)), `${name} ${rate}`);
  }
});

test('a damaged sound is written as it is decoded', async () => {
  const path = await makeClip(at('k.mp3'), tone(4), ['-c:a', 'libmp3lame', '-b:a', '64k']);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 3000));
  await probeHeard(path);
  const [written, decoded] = [await readHeard(`${path}.heard`), await heard(path)];
  assert.ok(Buffer.from(written.buffer).equals(Buffer.from(decoded.buffer)));
});

test('a sound that is refused leaves no file for the models', async () => {
  const long = await makeClip(at('l.mp3'), tone(2), ['-c:a', 'libmp3lame']);
  const heardPath = `${long}.heard`;
  const limits = { seconds: 1 };
  const probing = probeAudio({ path: long, ffmpeg, limits, signal: soon(), heardPath });
  await failing(probing, 'media_too_long');
  assert.not(existsSync(heardPath));
  const cut = await makeClip(at('l.m4a'), tone(1), ['-c:a', 'aac', '-movflags', '+faststart']);
  truncateSync(cut, Math.floor(readFileSync(cut).length * 0.6));
  await failing(probeHeard(cut), 'media_unreadable');
  assert.not(existsSync(`${cut}.heard`));
});

test('where the samples cannot be written, the sound is not at fault', async () => {
  const path = await makeClip(at('m.wav'), tone(30));
  try {
    await probeHeard(path, at('no such folder/m.heard'));
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), /ENOENT/);
  }
});

test('where the samples may not be written, that is what is thrown', async () => {
  const path = await makeClip(at('o.wav'), tone(1));
  const admit = () => Promise.reject(new Failure('storage_full'));
  const heardPath = `${path}.heard`;
  const limits = { seconds: 300 };
  const probing = probeAudio({ path, ffmpeg, limits, signal: soon(), heardPath, admit });
  await failing(probing, 'storage_full');
  assert.not(existsSync(heardPath));
});

const disk = smallDisk(1);
const onFullDisk = 'a disk that runs full while the samples are written is told as full';
if (disk === null) skip(test, onFullDisk, 'the right to mount a small disk');
else
  test(onFullDisk, async () => {
    const path = await makeClip(at('n.wav'), tone(30));
    await failing(probeHeard(path, `${disk}/n.heard`), 'storage_full');
  });

test('the delay of an encoder that the file tells of is not heard', async () => {
  for (const [name, codec] of [
    ['c.mp3', ['-c:a', 'libmp3lame']],
    ['c.m4a', ['-c:a', 'aac']],
    ['c.flac', []],
  ] as const) {
    near(onset(await heard(await makeClip(at(name), beep(1), codec))), 0.5, 0.004);
  }
});

test('what is no sound is refused, and what came is told', async () => {
  const image = at('d.mp3');
  writeFileSync(
    image,
    await sharp(Buffer.alloc(192), { raw: { width: 8, height: 8, channels: 3 } })
      .png()
      .toBuffer(),
  );
  const gif = await makeClip(at('d.gif'), pattern(0.2));
  const voice = await makeClip(at('d.voc'), tone(0.3));
  for (const [path, came] of [
    [image, /got image\/png/],
    [gif, /got an animated image \(image\/gif\)/],
    [
      voice,
      /Expected a sound \(MP3, WAV, AAC, M4A, FLAC, OGG, .*\); got a Creative Voice sound \(audio\/x-voc\)/,
    ],
  ] as const) {
    assert.match((await failing(probeSound(path), 'unsupported_media_type')).message, came);
  }
});

test('Opus, Vorbis and FLAC in OGG and WebM, and the first sound of a video, are heard where they are', async () => {
  const video = [...pattern(1.2), ...beep(1), ...tone(1)];
  const tracks = ['-map', '0:v', '-map', '1:a', '-map', '2:a'];
  const opus = ['-c:a', 'libopus'];
  const h264AndAac = [...tracks, ...h264, '-c:a', 'aac'];
  for (const [name, source, output, channels] of [
    ['o.opus', beep(1), opus, 1],
    ['o.ogg', beep(1), ['-c:a', 'libvorbis'], 1],
    ['p.ogg', beep(1), [...opus, '-ac', '2'], 2],
    ['q.ogg', beep(1), ['-c:a', 'flac'], 1],
    ['o.webm', beep(1), opus, 1],
    ['v.webm', video, [...tracks, '-c:v', 'libvpx', ...opus], 1],
    ['v.mp4', video, h264AndAac, 1],
    ['v.avi', video, [...tracks, ...h264, '-c:a', 'pcm_s16le'], 1],
    ['v.mov', video, [...tracks, ...h264, '-c:a', 'pcm_s16le'], 1],
  ] as const) {
    const path = await makeClip(at(name), source, output);
    const info = await probeSound(path);
    near(info.durationSeconds, 1, 0.03);
    assert.equal([info.channels, info.sampleRate], [channels, 48_000], name);
    near(onset(await heard(path)), 0.5, 0.004);
  }
});

test('a video without sound has none to speak', async () => {
  const path = await makeClip(at('mute.mp4'), pattern(0.2), h264);
  await failing(probeSound(path), 'no_audio_stream');
});

test('cover art makes no video of a sound file', async () => {
  const art = [
    '-c:a',
    'libmp3lame',
    '-c:v',
    'png',
    '-frames:v',
    '1',
    '-disposition:v:0',
    'attached_pic',
  ];
  const path = await makeClip(at('e.mp3'), [...tone(0.5), ...pattern(0.04)], art);
  near((await probeSound(path)).durationSeconds, 0.5, 1e-6);
});

test('a sound that is too long is told how long it is', async () => {
  const path = await makeClip(at('f.mp3'), tone(400), ['-c:a', 'libmp3lame', '-b:a', '32k']);
  const { facts } = await failing(probeSound(path), 'media_too_long');
  assert.is(facts.limit_seconds, 300);
  near(Number(facts.came_seconds), 400, 1);
});

test('sound that nothing can be made of is refused', async () => {
  const path = await makeClip(at('g.m4a'), tone(1), ['-c:a', 'aac', '-movflags', '+faststart']);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, bytes.indexOf('mdat') + 4));
  await failing(probeSound(path), 'media_unreadable');
  const cut = await makeClip(at('g2.m4a'), tone(1), ['-c:a', 'aac', '-movflags', '+faststart']);
  truncateSync(cut, Math.floor(readFileSync(cut).length * 0.6));
  assert.match((await failing(probeSound(cut), 'media_unreadable')).message, /cut off/);
  const head = await makeClip(at('g4.wav'), tone(1), []);
  truncateSync(head, 30);
  assert.match((await failing(probeSound(head), 'media_unreadable')).message, /cut off/);
  const empty = await makeClip(at('g3.wav'), ['-f', 'lavfi', '-i', 'anullsrc'], ['-t', '0']);
  await failing(probeSound(empty), 'media_unreadable');
});

test('a sound whose end is missing is taken, and what its header states is told', async () => {
  for (const [name, codec] of [
    ['cut.mp3', ['-c:a', 'libmp3lame', '-b:a', '64k']],
    ['cut.flac', []],
    ['cut.au', []],
    ['cut.wv', []],
    ['cut.wav', ['-c:a', 'pcm_s24le']],
    ['cut.wav', ['-c:a', 'pcm_s16le', '-metadata', 'title=a chunk before the samples']],
  ] as const) {
    const path = await makeClip(at(name), tone(3), codec);
    assert.is((await probeSound(path)).statedSeconds, undefined, name);
    truncateSync(path, Math.floor(readFileSync(path).length * 0.6));
    const { durationSeconds, statedSeconds } = await probeSound(path);
    near(durationSeconds, 1.8, 0.25);
    near(statedSeconds ?? 0, 3, 0.1);
  }
});

test('a sound of a length that nobody knew when it was begun is not taken for cut', async () => {
  const whole = await makeClip(at('piped.wav'), tone(3), ['-c:a', 'pcm_s16le']);
  const bytes = readFileSync(whole);
  const size = bytes.indexOf('data') + 4;
  for (const written of [0, 2 ** 31 - 37, 2 ** 32 - 1]) {
    bytes.writeUInt32LE(written, size);
    writeFileSync(whole, bytes);
    assert.is((await probeSound(whole)).statedSeconds, undefined, `${written}`);
  }
  const au = await makeClip(at('piped.au'), tone(3));
  writeFileSync(au, readFileSync(au).fill(0xff, 8, 12));
  assert.is((await probeSound(au)).statedSeconds, undefined);
  const low = await makeClip(at('low.mp3'), tone(1), ['-c:a', 'libmp3lame', '-ar', '8000']);
  assert.is((await probeSound(low)).statedSeconds, undefined);
});

test("a clip's own sound is on the clock of its pictures", async () => {
  for (const [late, expected] of [
    [0, 0.5],
    [0.2, 0.3],
  ] as const) {
    const input = ['-itsoffset', String(late), ...pattern(0.8), ...beep(1)];
    const codecs = [...h264, '-c:a', 'aac', '-fps_mode', 'passthrough'];
    const clip = await makeClip(at('h.mp4'), input, codecs);
    near(
      onset(await decodeOwnAudio(clip, await probe(clip), { from: late, ffmpeg, signal: soon() })),
      expected,
      0.004,
    );
  }
  const silent = await makeClip(at('h2.mp4'), pattern(0.2), h264);
  assert.is(
    (await decodeOwnAudio(silent, await probe(silent), { from: 0, ffmpeg, signal: soon() })).length,
    0,
  );
});

test('a sound that begins later than the pictures is preceded by silence', async () => {
  const input = [...pattern(1), '-itsoffset', '0.25', ...beep(0.7)];
  const clip = await makeClip(at('i.mp4'), input, [...h264, '-c:a', 'aac']);
  near(
    onset(await decodeOwnAudio(clip, await probe(clip), { from: 0, ffmpeg, signal: soon() })),
    0.75,
    0.004,
  );
});

test.run();
