import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeClip, packetsOf, timesOf } from '../real/clip.ts';
import { withMedia } from '../real/media.ts';
import { tempDir } from '../real/run.ts';
import { realService } from '../real/service.ts';
import { realTriton } from '../real/triton.ts';

const test = suite('real media over HTTP');
const dir = tempDir('media');
const service = await realService({}, realTriton(['photo']));
const caller = await service.caller(1000);

for (const file of ['img_woman_smile_teeth_221.png', 'img_man_bw_moustache_375x500.jpg']) {
  withMedia(test, `${file} comes back twice as large and as it was`, file, async (path) => {
    const { width = 0, height = 0 } = await sharp(path).metadata();
    const { status, data } = await caller.upscale(path, { model: 'photo', scale: 2 });
    assert.is(status, 200, JSON.stringify(data));
    assert.is(data.output_size, `${2 * width}x${2 * height}`);
    const large = await caller.download(data.output_url);
    const back = await sharp(large)
      .resize(width, height)
      .removeAlpha()
      .toColourspace('srgb')
      .raw()
      .toBuffer();
    const sent = await sharp(path).removeAlpha().toColourspace('srgb').raw().toBuffer();
    const off = sent.reduce((sum, value, i) => sum + Math.abs(value - (back[i] ?? 0)), 0);
    assert.ok(off / sent.length < 3, `mean difference ${off / sent.length}`);
  });
}

for (const file of ['vid_man_suit_700_vfr22.mp4', 'vid_man_kitchen_1080x1920.mp4']) {
  withMedia(test, `a small cut of ${file} keeps its times and its sound`, file, async (path) => {
    const small = ['-t', '0.4', '-vf', 'scale=90:-2', '-fps_mode', 'passthrough', '-c:a', 'copy'];
    const clip = await makeClip(join(dir, file), ['-i', path], small);
    const { status, data } = await caller.upscale(clip, { model: 'photo', scale: 2 });
    assert.is(status, 200, JSON.stringify(data));
    const output = join(dir, `out-${file}`);
    writeFileSync(output, await caller.download(data.output_url));
    const [before, after] = [await timesOf(clip), await timesOf(output)];
    assert.is(after.length, before.length);
    for (const [i, time] of before.entries()) assert.ok(Math.abs(time - (after[i] ?? 0)) < 2e-5);
    assert.is(await packetsOf(output, 'a:0'), await packetsOf(clip, 'a:0'));
  });
}

test.after(service.close);

test.run();
