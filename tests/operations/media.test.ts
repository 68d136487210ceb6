import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { alphaWarnings, hdrWarnings } from '../../src/operations/media.ts';
import { detailInVideo } from '../../src/operations/upscale/detail-in-video.ts';
import { at, probe } from '../media/clips.ts';
import { makeClip, pattern } from '../real/clip.ts';

const test = suite('media of operations');
const video = (pixelFormat: string, transfer: string | null) => ({
  kind: 'video' as const,
  pixelFormat,
  colour: { matrix: 'bt2020nc', fullRange: false, primaries: 'bt2020', transfer },
});

test('who sends HDR of more than 8 bits is told that the result has 8', () => {
  for (const [pixelFormat, transfer, told] of [
    ['yuv420p10le', 'smpte2084', /HDR \(PQ\) with 10 bits/],
    ['yuv422p12le', 'arib-std-b67', /HDR \(HLG\) with 12 bits/],
    ['p010le', 'arib-std-b67', /with 10 bits/],
    ['yuv444p16be', 'smpte2084', /with 16 bits/],
  ] as const) {
    const [warning, ...more] = hdrWarnings(video(pixelFormat, transfer));
    assert.is(warning?.code, 'depth_reduced');
    assert.match(warning?.detail ?? '', told);
    assert.is(more.length, 0);
  }
});

test('who sends an image in HDR is told that the result is sRGB', () => {
  const [warning, ...more] = hdrWarnings({
    kind: 'image',
    hdr: { transfer: 'hlg', primaries: 'p3' },
  });
  assert.is(warning?.code, 'hdr_converted');
  assert.match(warning?.detail ?? '', /HDR \(HLG\); the result is sRGB/);
  assert.is(more.length, 0);
});

test('who sends a video to detail is told before the start that it takes long and flickers', () => {
  const clip = { kind: 'video', frames: 50 } as const;
  const [warning, ...more] = detailInVideo({ model: 'detail' }, clip);
  assert.is(warning?.code, 'made_for_images');
  assert.match(
    warning?.detail ?? '',
    /each of the 50 frames .* flickers, .* about 30 times as long/,
  );
  assert.is(more.length, 0);
  assert.equal(detailInVideo({ model: 'detail' }, { kind: 'image' }), []);
  assert.equal(detailInVideo({ model: 'photo' }, clip), []);
});

test('HDR of 8 bits loses none, and other videos show no bands', () => {
  for (const [pixelFormat, transfer] of [
    ['yuv420p', 'smpte2084'],
    ['nv12', 'arib-std-b67'],
    ['yuv420p10le', 'bt709'],
    ['yuv420p10le', null],
  ] as const)
    assert.equal(hdrWarnings(video(pixelFormat, transfer)), []);
  assert.equal(hdrWarnings({ kind: 'image', hdr: undefined }), []);
});

test('who sends a video with transparency is told that the result has none', async () => {
  const half = ['-vf', 'format=yuva444p,geq=lum=128:cb=128:cr=128:a=99'];
  const clips = [
    await makeClip(at('clear.webm'), pattern(0.2), [
      ...half,
      '-pix_fmt',
      'yuva420p',
      '-c:v',
      'libvpx-vp9',
    ]),
    await makeClip(at('clear.mov'), pattern(0.2), [
      ...half,
      '-c:v',
      'prores_ks',
      '-profile:v',
      '4444',
    ]),
  ];
  for (const clip of clips)
    assert.is(alphaWarnings(await probe(clip))[0]?.code, 'transparency_lost', clip);
  const opaque = await makeClip(at('opaque.webm'), pattern(0.2), ['-c:v', 'libvpx-vp9']);
  assert.equal(alphaWarnings(await probe(opaque)), []);
  assert.equal(alphaWarnings({ kind: 'image' }), []);
});

test.run();
