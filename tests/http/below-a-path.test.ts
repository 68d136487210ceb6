/** The service where a proxy has put it below a path of its host, which the proxy takes off again. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realApi } from './api.ts';

const test = suite('below a path');
const api = await realApi({ PUBLIC_URL: 'https://media.example/media/' });
/** What the proxy asks. */
const baseURL = `http://127.0.0.1:${api.port}`;

test('a job is told by the path that its caller has to ask for', async () => {
  const { http } = await api.caller();
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'photo', scale: '2' })) form.set(name, value);
  const pixel = { width: 8, height: 8, channels: 3, background: 'red' } as const;
  form.set('image', new Blob([await sharp({ create: pixel }).png().toBuffer()]), 'red.png');
  const headers = { prefer: 'respond-async' };
  const { status, data, headers: got } = await http.post('/v1/upscale', form, { baseURL, headers });
  assert.is(status, 202, JSON.stringify(data));
  assert.is(got.location, `/media/v1/jobs/${data.id}`);
  assert.is(data.urls.get, `https://media.example${got.location}`);
});

test('the board finds its files there, and its session is for that path', async () => {
  const { data, headers } = await api.admin.post('/v1/admin/board', null, { baseURL });
  assert.is(data.url, 'https://media.example/media/board');
  const [set = ''] = headers['set-cookie'] ?? [];
  assert.match(set, /; path=\/media\/board; /);
  const page = await api
    .client()
    .get('/board', { baseURL, headers: { cookie: set.split(';')[0] } });
  assert.is(page.status, 200);
  assert.match(page.data, '<base href="/media/board/"');
});

test.after(api.close);
test.run();
