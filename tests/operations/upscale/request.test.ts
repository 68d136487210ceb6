import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyRequest } from '../../../src/contract/keys.ts';
import { UpscaleRequest } from '../../../src/operations/upscale/request.ts';

const request = { model: 'photo', scale: 2, image_url: 'https://example.com/a.png' };
const accepted: readonly object[] = [
  request,
  { ...request, scale: 8, output_format: 'avif', output: { quality: 1, metadata: 'keep' } },
  { ...request, output: { lossless: true, background: '#00fF00' } },
  { ...request, denoise: 'auto' },
  { ...request, denoise: 3 },
  { model: 'detail', scale: 4, video_url: 'http://example.com:81/a?b#c' },
];
const refused: readonly object[] = [
  {},
  { ...request, denoise: 0 },
  { ...request, denoise: 'most' },
  { ...request, model: 'best' },
  { ...request, scale: '2' },
  { ...request, scale: 3 },
  { ...request, image_url: 'file:///etc/passwd' },
  { ...request, image_url: 'data:image/png;base64,AA' },
  { ...request, image_url: 'a.png' },
  { ...request, output_format: 'gif' },
  { ...request, output: { quality: 0 } },
  { ...request, output: { quality: 50.5 } },
  { ...request, output: { background: 'red' } },
  { ...request, output: { sharpness: 1 } },
  { ...request, webhook: 'https://example.com' },
];

for (const body of accepted) {
  test(`${JSON.stringify(body)} is a request`, () => {
    assert.ok(UpscaleRequest.safeParse(body).success);
  });
}
for (const body of refused) {
  test(`${JSON.stringify(body)} is no request`, () => {
    assert.not.ok(UpscaleRequest.safeParse(body).success);
  });
}

test('an account has a name that is safe in keys, paths and logs', () => {
  for (const account of ['acme', 'a.b-c_1']) assert.ok(KeyRequest.safeParse({ account }).success);
  for (const account of ['', 'a b', 'a:b', '../x', 'ä', 'x'.repeat(65)]) {
    assert.not.ok(KeyRequest.safeParse({ account }).success, account);
  }
});

test.run();
