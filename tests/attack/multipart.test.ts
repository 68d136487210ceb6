import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realRedis } from '../real/redis.ts';
import { until } from '../real/until.ts';
import { apiProcess, said } from './api-process.ts';

const test = suite('multipart bodies that mean harm');
const megabyte = 1024 * 1024;
const api = await apiProcess(
  {
    IMAGE_MAX_BYTES: String(4 * megabyte),
    VIDEO_MAX_BYTES: String(4 * megabyte),
    JSON_MAX_BYTES: String(megabyte),
    BODY_STALL_SECONDS: '1',
  },
  realRedis(),
);
await api.healthMs();

const typed = (boundary = 'b') => [`Content-Type: multipart/form-data; boundary=${boundary}`];
const named = 'Content-Disposition: form-data; name="a"';
const file = 'Content-Disposition: form-data; name="file"; filename="a.png"';
const part = (header: string, body = 'x') => `--b\r\n${header}\r\n\r\n${body}\r\n`;
const form = (...parts: readonly string[]) => `${parts.join('')}--b--\r\n`;
const post = (body: string, boundary?: string) => api.post(body, typed(boundary));

/** Sends pieces for as long as they are taken, 1,600 at most, and answers what came back. */
const pour = async (first: string, piece: Buffer): Promise<string> => {
  const socket = await api.dial(20_000);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const chunk = (bytes: Buffer) =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  socket.write(api.head([...typed(), 'Transfer-Encoding: chunked']));
  socket.write(chunk(Buffer.from(first, 'latin1')));
  for (let sent = 0; sent < 1_600 && answer === '' && !socket.destroyed; sent += 1) {
    if (!socket.write(chunk(piece))) {
      await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    if (sent % 16 === 0) await sleep(1);
  }
  if (answer === '' && !socket.destroyed) socket.write('0\r\n\r\n');
  for (let waits = 0; waits < 500 && answer === '' && !socket.destroyed; waits += 1)
    await sleep(20);
  socket.destroy();
  return answer;
};

test.after.each(async () => {
  assert.is(api.ended(), undefined, 'the API process has ended');
  await until('no file is left behind', () => api.incoming().length === 0);
});

test('a part in 8bit, 7bit or binary is read like any other', async () => {
  for (const encoding of ['8bit', '7bit', 'BINARY', ' 8BIT ']) {
    const body = form(part(`${named}\r\nContent-Transfer-Encoding: ${encoding}`));
    const answer = await post(body);
    assert.is(said(answer), '422 validation_failed');
    assert.match(answer, '"pointer":"/a"');
  }
});

test('a part in an encoding that would have to be undone is refused', async () => {
  for (const encoding of ['base64', 'quoted-printable', 'utf8', '', 'x'.repeat(5000)]) {
    const answer = await post(form(part(`${named}\r\nContent-Transfer-Encoding: ${encoding}`)));
    assert.is(said(answer), '400 invalid_multipart', encoding.slice(0, 20));
    assert.ok(answer.length < 2000);
  }
});

test('a file full of near-boundaries arrives as it was sent, however it is cut up', async () => {
  const picture = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const near = [
    '\r',
    '\n',
    '\r\n',
    '\r\n-',
    '\r\n--',
    '\r\n--bc',
    '\r\n--bc\r',
    '--bcd',
    '\0',
    '\r\r\n--b',
  ];
  for (let round = 0; round < 20; round += 1) {
    const tail = Array.from({ length: 300 }, () => near[Math.floor(Math.random() * near.length)])
      .join('')
      .replaceAll('\r\n--bcd', '\r\n--bxd');
    const content = Buffer.concat([picture, Buffer.from(tail, 'latin1')]);
    const body = Buffer.concat([
      Buffer.from(`a preamble\r\n--bcd\r\n${file}\r\n\r\n`),
      content,
      Buffer.from('\r\n--bcd--\r\n'),
    ]);
    const socket = await api.dial();
    const answer = text(socket);
    const lines = [...typed('bcd'), 'Transfer-Encoding: chunked', 'Connection: close'];
    // In one write: who closes may do so as soon as it has read the last delimiter.
    const pieces = [Buffer.from(api.head(lines))];
    for (let at = 0; at < body.length; ) {
      const next = at + 1 + Math.floor(Math.random() * (round % 2 ? 12 : 400));
      const piece = body.subarray(at, next);
      pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
      at = next;
    }
    socket.write(Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')]));
    const said = await answer;
    const sha256 = createHash('sha256').update(content).digest('hex');
    assert.match(said, /^HTTP\/1\.1 201 /, JSON.stringify(tail).slice(-500));
    assert.match(
      said,
      `"bytes":${content.length},"sha256":"${sha256}"`,
      JSON.stringify(tail).slice(-500),
    );
  }
});

test('what is no form is told as such', async () => {
  const bodies: readonly (readonly [string, string])[] = [
    ['no end', part(named)],
    ['an end in the header', `--b\r\n${named}`],
    ['an end in a file', `--b\r\n${file}\r\n\r\nabc`],
    ['an end in an unwanted file', `--b\r\n${file.replace('"file"', '"other"')}\r\n\r\nabc`],
    ['no part at all', 'nothing of it'],
    ['a part without a header', '--b\r\nno header\r\n--b--\r\n'],
    ['a part with an empty header', form('--b\r\n\r\nx\r\n')],
    ['a part without a disposition', form(part('X-A: b'))],
    ['another disposition', form(part('Content-Disposition: attachment; name="a"'))],
    ['no name', form(part('Content-Disposition: form-data'))],
    ['an empty name', form(part('Content-Disposition: form-data; name=""'))],
    ['a name with a line break', form(part('Content-Disposition: form-data; name="a\nb"'))],
    [
      'a name that is too long',
      form(part(`Content-Disposition: form-data; name="${'n'.repeat(101)}"`)),
    ],
    ['a file name that is too long', form(part(`${file.slice(0, -6)}${'n'.repeat(1001)}"`))],
    ['text that is not UTF-8', form(part(named, '\xff\xfe\xfd'))],
    ['too many fields', form(...Array.from({ length: 51 }, () => part(named)))],
    ['too many files', form(...Array.from({ length: 4 }, () => part(file)))],
  ];
  for (const [what, body] of bodies) {
    const answer = await post(body);
    assert.is(said(answer), '400 invalid_multipart', what);
    assert.ok(answer.length < 2000, what);
  }
});

test('boundaries are as RFC 2046 has them', async () => {
  const bodyWith = (boundary: string) => form(part(named)).replaceAll('--b', `--${boundary}`);
  for (const boundary of ['b', 'x'.repeat(70), "'()+_,-./:=?", 'a b', '-', '--', 'a'.repeat(69)]) {
    const answer = await post(bodyWith(boundary), `"${boundary}"`);
    assert.is(said(answer), '422 validation_failed', boundary);
  }
  for (const boundary of ['', '""', 'x'.repeat(71), 'x'.repeat(200), 'x'.repeat(5000)]) {
    assert.is(said(await post(bodyWith(boundary), boundary)), '400 invalid_multipart', boundary);
  }
  const none = await api.post(form(part(named)), ['Content-Type: multipart/form-data']);
  assert.is(said(none), '400 invalid_multipart');
});

test('names as of any object are unknown fields, in text and in file parts', async () => {
  const names = ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty', 'then'];
  for (const name of names) {
    for (const more of ['', '; filename="x"']) {
      const answer = await post(
        form(part(`Content-Disposition: form-data; name="${name}"${more}`)),
      );
      assert.is(said(answer), '422 validation_failed', `${name}${more}`);
      assert.match(answer, `"pointer":"/${name}"`);
    }
  }
});

test('a charset that nobody knows, nested multipart and odd file names harm nothing', async () => {
  const headers = [
    `${named}\r\nContent-Type: text/plain; charset=klingon`,
    `${named}\r\nContent-Type: text/plain; charset=__proto__`,
    `${named}\r\nContent-Type: multipart/mixed; boundary=c`,
    `${named}\r\nContent-Type: ;;;===`,
    `${named}; filename="../../etc/passwd"`,
    `${named}; filename*=UTF-8''%e2%82%ac%00.png`,
    `${named}; filename*=klingon'x'%zz`,
    `${named}; filename="a\\"b.png"`,
    `${named}; filename=`,
    `${named}; name="c"`,
    `CONTENT-disposition:FORM-data;NAME=a`,
  ];
  for (const header of headers) {
    const answer = await post(form(part(header)));
    assert.is(said(answer), '422 validation_failed', header);
    assert.match(answer, '"pointer":"/a"');
  }
});

test('a file without a file name is still a file, and one that comes twice is told', async () => {
  const nameless = await post(form(part('Content-Disposition: form-data; name="file"')));
  assert.is(said(nameless), '415 unsupported_media_type');
  const twice = await post(form(part(file), part(file)));
  assert.is(said(twice), '422 validation_failed');
  assert.match(twice, '"detail":"/file: Expected this file part once; got it several times."');
});

test('of a file under another name that name is told first, and then that the file is missing', async () => {
  const answer = await post(
    form(part('Content-Disposition: form-data; name="photo"; filename="a"')),
  );
  assert.is(said(answer), '422 validation_failed');
  assert.match(
    answer,
    '"detail":"/photo: Expected no file part of this name; the file parts are file.',
  );
});

test('a header, a preamble or text parts without end are cut off while health is answered', async () => {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const endless: readonly (readonly [string, string, string])[] = [
    ['the header', '--b\r\nX-A: ', '400 invalid_multipart'],
    ['the name', '--b\r\nContent-Disposition: form-data; name="', '400 invalid_multipart'],
    ['the preamble', 'x', '400 invalid_multipart'],
    ['a text part', `--b\r\n${named}\r\n\r\n`, '413 file_too_large'],
    ['a file', `--b\r\n${file}\r\n\r\n`, '413 file_too_large'],
    ['an unwanted file', `--b\r\n${named}; filename="x"\r\n\r\n`, '413 file_too_large'],
  ];
  const before = api.residentMb();
  for (const [what, first, expected] of endless) {
    const answer = await pour(first, piece);
    assert.is(said(answer), expected, what);
    assert.ok(answer.length < 2000, what);
    assert.ok((await api.healthMs()) < 4000, what);
  }
  assert.ok(api.residentMb() - before < 150, `grew from ${before} to ${api.residentMb()} MB`);
});

test('an epilogue without end does not keep the answer back', async () => {
  const answer = await pour(form(part(named)), Buffer.alloc(64 * 1024, 'x'));
  assert.is(said(answer), '422 validation_failed');
});

test('400 kB of file names, quotes and backslashes are read in no time', async () => {
  const headers = [
    `Content-Disposition: form-data; ${'filename="'.repeat(40_000)}`,
    `Content-Disposition: form-data; name="${'\\'.repeat(400_000)}`,
    `Content-Disposition: form-data; ${'name=a;'.repeat(57_000)}`,
    `Content-Disposition: form-data;${' '.repeat(400_000)}name="a"`,
    `Content-Disposition: form-data; filename*=${"utf-8''%41".repeat(40_000)}`,
    `${'A: b\r\n'.repeat(66_000)}${named}`,
    `${named}${'\r\n folded'.repeat(40_000)}`,
  ];
  for (const header of headers) {
    const [answer, slowest] = await Promise.all([
      post(form(part(header))),
      sleep(5).then(api.healthMs),
    ]);
    assert.match(said(answer), /^(400 invalid_multipart|422 validation_failed)$/);
    assert.ok(answer.length < 2000);
    assert.ok(slowest < 4000, `health took ${slowest} ms: ${header.slice(0, 60)}`);
  }
});

test('tens of thousands of parts, boundaries and almost-boundaries are read in no time', async () => {
  const bodies = [
    form(...Array.from({ length: 20_000 }, () => part(named))),
    '--b\r\n'.repeat(200_000),
    `--b\r\n${file}\r\n\r\n${'\r\n-'.repeat(300_000)}`,
    `--b\r\n${named}\r\n\r\n${'\r\n--a'.repeat(150_000)}\r\n--b--`,
  ];
  for (const body of bodies) {
    const [answer, slowest] = await Promise.all([post(body), sleep(5).then(api.healthMs)]);
    assert.match(
      said(answer),
      /^(400 invalid_multipart|413 file_too_large|422 validation_failed)$/,
    );
    assert.ok(slowest < 4000, `health took ${slowest} ms: ${body.slice(0, 60)}`);
  }
  const boundary = 'a'.repeat(70);
  const repeating = `--${boundary}\r\n${named}\r\n\r\n${`\r\n--${'a'.repeat(69)}`.repeat(9_000)}`;
  assert.is(said(await post(repeating, boundary)), '400 invalid_multipart');
});

test('a body that stalls is answered with 408, one that trickles too', async () => {
  const socket = await api.dial();
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(`${api.head([...typed(), 'Content-Length: 100000'])}--b\r\n${file}\r\n\r\n`);
  for (let waits = 0; waits < 400 && answer === ''; waits += 1) {
    await sleep(50);
    socket.write('x');
  }
  socket.destroy();
  assert.is(said(answer), '408 request_timeout');
});

test('no way for a body to end leaves a file descriptor open', async () => {
  const endings: readonly (() => Promise<unknown>)[] = [
    () => post(`--b\r\n${file}\r\n\r\nabc`),
    () => post(form(part(file, 'no picture'))),
    () => post(form(part(file), part(file))),
    () => post(form(part(named))),
    () => post(`${part(file, 'y'.repeat(100_000))}--b\r\nno header\r\n--b--\r\n`),
    () =>
      post(`${part(file)}--b\r\n${named}\r\nContent-Transfer-Encoding: base64\r\n\r\nx\r\n--b--`),
    async () => {
      const socket = await api.dial();
      socket.write(`${api.head([...typed(), 'Content-Length: 99999'])}--b\r\n${file}\r\n\r\nabc`);
      await sleep(5);
      socket.destroy();
    },
    async () => {
      const socket = await api.dial();
      socket.write(`${api.head([...typed(), 'Content-Length: 999999'])}--b\r\n${file}\r\n\r\n`);
      socket.write('z'.repeat(200_000));
      await sleep(5);
      socket.resetAndDestroy();
    },
  ];
  for (const end of endings) await end();
  await sleep(300);
  const before = api.descriptors();
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 80 }, (_, at) => endings[at % endings.length]?.()));
  }
  await until('their connections are gone', () => api.descriptors() <= before + 3);
});

test.after(api.close);
test.run();
