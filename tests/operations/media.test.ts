import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hdrWarnings } from '../../src/operations/media.ts';

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

test('HDR of 8 bits loses none, and other videos show no bands', () => {
  for (const [pixelFormat, transfer] of [
    ['yuv420p', 'smpte2084'],
    ['nv12', 'arib-std-b67'],
    ['yuv420p10le', 'bt709'],
    ['yuv420p10le', null],
  ] as const)
    assert.equal(hdrWarnings(video(pixelFormat, transfer)), []);
  assert.equal(hdrWarnings({ kind: 'image' }), []);
});

test.run();
