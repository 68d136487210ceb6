import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ownLink } from '../../web/own-link.ts';

const result = '/v1/jobs/job_1/result?signature=a/v1/b';

test('links are below the folder of the page, by whatever address it was opened', () => {
  for (const told of ['https://a.example', 'https://a.example/media', 'http://127.0.0.1:80/v1/x'])
    for (const [page, path] of [
      ['http://127.0.0.1:8080/', ''],
      ['http://lan.test/media/', '/media'],
    ] as const)
      assert.is(ownLink(`${told}${result}`, page), `${path}${result}`, `${told} on ${page}`);
});

test('what is below it already stays as it is', () => {
  const page = 'https://a.example/v1/media/';
  for (const path of ['v1/admin/models/v1/log', 'assets/sample.jpg', 'v1/jobs?limit=8'])
    assert.is(ownLink(`${page}${path}`, page), `/v1/media/${path}`);
});

test.run();
