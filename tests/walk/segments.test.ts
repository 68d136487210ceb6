/** Segments and the clip's own sound, in results of the whole service, decoded again. */
import { join } from 'node:path';
import { execa } from 'execa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDir } from '../real/run.ts';
import { realService } from '../real/service.ts';
import { sounds } from '../real/sounds.ts';
import {
  apart,
  CODING,
  foreheadsIn,
  humIn,
  mouthsIn,
  near,
  numbered,
  range,
  soundIn,
} from '../real/speaking.ts';
import { syncing } from '../real/synced.ts';
import { lipsyncNames, realTriton } from '../real/triton.ts';

const test = suite('segments and background');
const dir = tempDir('segments');
const at = (name: string) => join(dir, name);
const service = await realService({}, realTriton(lipsyncNames('fast')));
const caller = await service.caller(1000);

const clip = await numbered(at('clip.mp4'), 1);
const longClip = await numbered(at('long-clip.mp4'), 2);
const long = await sounds.babble(at('long.wav'), 2.28, { output: ['-ac', '1', '-ar', '8000'] });
const short = await sounds.babble(at('short.wav'), 0.6, { output: ['-ac', '6', '-ar', '96000'] });

const synced = syncing(caller, dir);

test('segments: the mouth moves in them, to the frame, and nothing else does; sound likewise', async () => {
  const segments = JSON.stringify([
    { start: 0.4, end: 1, audio: { start: 0.5, end: 0.9 } },
    { start: 1, end: 1.2, audio: null },
    { start: 1.4, end: 1.8, audio: { start: 0 } },
  ]);
  const { result, output } = await synced(longClip, long, { segments });
  assert.equal([result.frames, result.frames_passed_through, result.credits_used], [50, 0, 2]);
  const speaks = (frame: number) => (frame >= 10 && frame < 25) || (frame >= 35 && frame < 45);
  const [before, after] = [await mouthsIn(longClip), await mouthsIn(output)];
  const changed = after.map((mouth, i) => apart(mouth, before[i]));
  for (const [i, change] of changed.entries())
    if (!speaks(i)) assert.ok(change < CODING, `frame ${i} changed by ${change}`);
  // In the middle of either the mouth is another; at the edges it is on its way.
  for (const i of [...range(13, 21), ...range(38, 41)])
    assert.ok((changed[i] ?? 0) > 4, `frame ${i} changed by ${changed[i]}`);
  const [was, is] = [await foreheadsIn(longClip), await foreheadsIn(output)];
  for (const [i, forehead] of is.entries()) assert.ok(apart(forehead, was[i]) < CODING);
  const sound = await soundIn(output);
  for (const [from, hum] of [
    [0.1, 0.125],
    [0.6, 0],
    [1.1, 0.125],
    [1.5, 0],
    [1.8, 0.125],
  ] as const)
    near(humIn(sound, from), hum, 0.02, `hum at ${from} s`);
});

test('a background lies under the new sound at its volume; without, it is not heard', async () => {
  const out = at('mixed.mp4');
  const run = ['src/cli/bin.mjs', 'lipsync', clip, short, '-o', out];
  const options = ['--background', '0.5', '--sync-mode', 'silence'];
  const { stderr } = await execa(
    'node',
    [...run, ...options, '--url', service.url, '--key', caller.key],
    { timeout: 120_000 },
  );
  assert.match(stderr, /1 face, 25 frames/);
  assert.not.match(stderr, /no sound of its own/);
  near(humIn(await soundIn(out), 0.7), 0.0625, 0.01, 'hum');
  const dropped = await synced(clip, short, { sync_mode: 'silence' });
  near(humIn(await soundIn(dropped.output), 0.7), 0, 0.01, 'hum');
});

test('segments of the command line are those of the job', async () => {
  const run = ['src/cli/bin.mjs', 'lipsync', clip, short];
  const segments = ['--segment', '0-0.2=0.1', '--segment', '0.36-0.6=0-0.2'];
  const where = ['-o', at('parts.mp4'), '--url', service.url, '--key', caller.key];
  await execa('node', [...run, ...segments, ...where], { timeout: 120_000 });
  const { data } = await caller.http.get('/v1/jobs?limit=1');
  assert.equal(data.data[0].options.segments, [
    { start: 0, end: 0.2, audio: { start: 0.1 } },
    { start: 0.36, end: 0.6, audio: { start: 0, end: 0.2 } },
  ]);
});

test.after(service.close);
test.run();
