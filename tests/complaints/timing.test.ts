/** "The result is shorter than the clip", "it assumes 25 frames a second", "the sound is late." */
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { h264, makeClip, timesOf } from '../real/clip.ts';
import { ffmpegPath } from '../real/ffmpeg.ts';
import { sounds } from '../real/sounds.ts';
import { portrait, talkingHead } from '../real/talking.ts';
import { openRig } from './rig.ts';

const test = suite('length and time');
const rig = await openRig('timing');
const long = await sounds.babble(rig.at('long.wav'), 1);

const still = (name: string, rate: string, seconds: number, codec: readonly string[] = []) =>
  makeClip(
    rig.at(name),
    ['-loop', '1', '-framerate', rate, '-i', portrait, '-t', String(seconds)],
    ['-vf', 'scale=256:256', ...h264, ...codec],
  );

for (const rate of ['22.13', '24000/1001', '30000/1001', '60000/1001', '12'])
  test(`${rate} frames a second stay so: as many frames, each at its time`, async () => {
    const clip = await still(`${rate.replace('/', '_')}.mp4`, rate, 0.4);
    const { target, frames, durationSeconds } = await rig.run('fast', clip, long);
    const [was, is] = [await timesOf(clip), await timesOf(target)];
    assert.equal([is.length, frames], [was.length, was.length]);
    for (const [i, time] of is.entries())
      assert.ok(Math.abs(time - (was[i] ?? -1)) < 1e-3, `${time} at ${i}`);
    const { durationSeconds: length } = await rig.probe(clip);
    assert.ok(Math.abs((durationSeconds ?? 0) - length) < 2e-3, `${durationSeconds} of ${length}`);
  });

test('frames at uneven times stay where they were', async () => {
  const uneven = ['-fps_mode', 'passthrough', '-enc_time_base', '1/1000', ...h264];
  const clip = await talkingHead(
    rig.at('vfr.mp4'),
    0.4,
    '256x256',
    ["setpts='(N*N+3*N)/(50*TB)'"],
    uneven,
  );
  const { target } = await rig.run('fast', clip, await sounds.babble(rig.at('longer.wav'), 4));
  const [was, is] = [await timesOf(clip), await timesOf(target)];
  assert.is(is.length, was.length);
  for (const [i, time] of is.entries())
    assert.ok(Math.abs(time - (was[i] ?? -1)) < 1e-3, `${time} at ${i}`);
});

const RATE = 48_000;
/** Samples of a file's sound, and when its first picture is shown, both on the clock of the file. */
const soundOf = async (path: string): Promise<Float32Array> => {
  const { stdout } = await execa(
    ffmpegPath,
    ['-v', 'error', '-i', path, '-map', '0:a', '-af', 'aresample=async=1:first_pts=0'].concat([
      '-ac',
      '1',
      '-ar',
      String(RATE),
      '-f',
      'f32le',
      '-',
    ]),
    { encoding: 'buffer' },
  );
  const bytes = Uint8Array.from(stdout);
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
};
/** Seconds until the tone begins. */
const onsetOf = (samples: Float32Array): number =>
  samples.findIndex((sample) => Math.abs(sample) > 0.05) / RATE;

for (const [name, codec] of [
  ['a clip with B frames', ['-bf', '2', '-preset', 'medium']],
  ['a clip that begins at 1.4 s of its own clock', ['-output_ts_offset', '1.4']],
] as const)
  test(`${name}: the sound is where it was put, to the millisecond`, async () => {
    const tone = "aevalsrc='if(gte(t,0.5),0.4*sin(2*PI*440*t),0)':s=48000";
    const sound = await makeClip(rig.at('tone.wav'), ['-f', 'lavfi', '-i', tone, '-t', '1']);
    const clip = await still(`late${codec.length}${codec[0]}.mp4`, '12', 1, codec);
    const { target } = await rig.run('fast', clip, sound);
    const first = (await timesOf(target))[0] ?? Number.NaN;
    assert.ok(Math.abs(onsetOf(await soundOf(sound)) - 0.5) < 0.001);
    const onset = onsetOf(await soundOf(target)) - first;
    assert.ok(Math.abs(onset - 0.5) < 0.003, `${((onset - 0.5) * 1000).toFixed(1)} ms late`);
  });

test.after(rig.close);
test.run();
