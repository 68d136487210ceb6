/** Multipart bodies that are wrong in ways that a parser meets: headers, encodings, names, boundaries, early ends, counts, sizes. */
import { type Attack, async, bearer, chunked, type Header, inChunks, lengthOf } from './attack.ts';
import type { Random } from './random.ts';
import { inherited, oddName, oddText } from './words.ts';

export type Part = {
  /** Its lines, without the empty one that ends them. */
  readonly headers: readonly string[];
  readonly content: Buffer;
};

export const textPart = (name: string, value: string): Part => ({
  headers: [`Content-Disposition: form-data; name="${name}"`],
  content: Buffer.from(value),
});
export const filePart = (name: string, content: Buffer, filename = 'a.bin'): Part => ({
  headers: [
    `Content-Disposition: form-data; name="${name}"; filename="${filename}"`,
    'Content-Type: application/octet-stream',
  ],
  content,
});

export const joined = (parts: readonly Part[], boundary: string, lineEnd = '\r\n'): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ headers, content }) => [
      Buffer.from(`--${boundary}${lineEnd}${headers.join(lineEnd)}${lineEnd}${lineEnd}`),
      content,
      Buffer.from(lineEnd),
    ]),
    Buffer.from(`--${boundary}--${lineEnd}`),
  ]);

/** What is sent is the parts unless `body` says otherwise. */
type Draft = {
  parts: Part[];
  boundary: string;
  lineEnd: string;
  contentType: string;
  body?: Buffer;
  headers: Header[];
  ending: Attack['ending'];
};
type Fault = (draft: Draft, random: Random) => void;

/** 1x1, grey. */
export const tinyPng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

const uploaded = () => [filePart('file', tinyPng, 'a.png')];
const upscaled = () => [
  textPart('model', 'photo'),
  textPart('scale', '2'),
  filePart('image', tinyPng),
];
const spoken = () => [
  textPart('model', 'fast'),
  filePart('image', tinyPng),
  filePart('audio', Buffer.from('RIFF')),
];
const goodParts: Readonly<Record<string, () => Part[]>> = {
  '/v1/uploads': uploaded,
  '/v1/upscale': upscaled,
  '/v1/upscale/estimate': upscaled,
  '/v1/lipsync': spoken,
  '/v1/lipsync/estimate': spoken,
};

const mostBytes = 500_000;

/** Changes one part, any of them. */
const onPart =
  (change: (part: Part, random: Random) => Part): Fault =>
  (draft, random) => {
    const at = random.below(draft.parts.length);
    draft.parts = draft.parts.map((part, i) => (i === at ? change(part, random) : part));
  };
const onHeaders = (change: (headers: readonly string[], random: Random) => string[]): Fault =>
  onPart((part, random) => ({ ...part, headers: change(part.headers, random) }));
const named = (disposition: string): Fault =>
  onHeaders((headers) => [disposition, ...headers.slice(1)]);
const onBody =
  (change: (body: Buffer, random: Random) => Buffer): Fault =>
  (draft, random) => {
    draft.body = change(draft.body ?? joined(draft.parts, draft.boundary, draft.lineEnd), random);
  };

const faults: Readonly<Record<string, Fault>> = {
  'transfer encoding': onHeaders((headers, random) => [
    ...headers,
    `Content-Transfer-Encoding: ${random.pick([
      ...['7bit', '8bit', 'binary', 'base64', 'quoted-printable', 'BASE64', '', 'x-none', 'utf8'],
      ...['hex', 'ucs2', 'latin1', 'constructor', '8bit ', 'base64; x=y', 'a'.repeat(5000)],
    ])}`,
  ]),
  'content type of a part': onHeaders((headers, random) => [
    ...headers,
    `Content-Type: ${random.pick(['text/plain; charset=utf-7', 'multipart/mixed; boundary=Y', 'application/json', 'text/plain; charset=nope', ';;;', '', oddText(random)])}`,
  ]),
  'odd name': onHeaders((headers, random) => [
    `Content-Disposition: form-data; name="${oddName(random)}"${random.chance(0.4) ? '; filename="a"' : ''}`,
    ...headers.slice(1),
  ]),
  'inherited name': (draft, random) => {
    draft.parts.push(textPart(random.pick(inherited), oddText(random, 100)));
  },
  'odd value': onPart((part, random) => ({ ...part, content: Buffer.from(oddText(random)) })),
  'odd file name': onHeaders((headers, random) => [
    `Content-Disposition: form-data; name="image"; filename="${oddText(random)}"`,
    ...headers.slice(1),
  ]),
  'file name with a charset': onHeaders((headers, random) => [
    `Content-Disposition: form-data; name="file"; filename*=${random.pick(['utf-8', 'nope', "utf-8''", "''"])}'en'${random.pick(['%', '%ff%fe', '%zz', '%00', 'a'.repeat(9000)])}`,
    ...headers.slice(1),
  ]),
  'file name again and again': onHeaders((headers, random) => [
    `Content-Disposition: form-data; name="file"; ${random
      .pick(['filename="', 'filename=', 'name="', ';', '; name=a', '\\"', '"', 'filename*='])
      .repeat(random.size(mostBytes / 8))}`,
    ...headers.slice(1),
  ]),
  'no disposition': onHeaders((headers) => headers.slice(1)),
  'a disposition twice': onHeaders((headers) => [
    ...headers,
    'Content-Disposition: form-data; name="b"',
  ]),
  'disposition without a name': named('Content-Disposition: form-data'),
  'another disposition': named('Content-Disposition: attachment; name="file"; filename="x"'),
  'name without quotes': named('Content-Disposition: form-data; name=file; filename=x'),
  'name that does not end': named('Content-Disposition: form-data; name="file; filename="x'),
  'a header without a colon': onHeaders((headers) => [...headers, 'nonsense']),
  'a header with nothing before the colon': onHeaders((headers) => [...headers, ': x']),
  'folded header': onHeaders((headers) => [...headers, 'X-A: b', ' c', '\td']),
  'a header with odd bytes': onHeaders((headers, random) => [
    ...headers,
    `X-A: ${random.pick(['\u0000', '\u0001', '\u007f', '\ufffd', '\r', '\n'])}`,
  ]),
  'long header': onHeaders((headers, random) => [
    ...headers,
    `X-A: ${'a'.repeat(random.size(mostBytes))}`,
  ]),
  'many headers': onHeaders((headers, random) => [
    ...headers,
    ...Array.from({ length: random.size(20_000) }, (_, i) => `X-${i}: a`),
  ]),
  'no headers': onPart(({ content }) => ({ headers: [], content })),
  'many text parts': (draft, random) => {
    const count = random.size(2000);
    for (let i = 0; i < count; i += 1) draft.parts.push(textPart(`t${i}`, ''));
  },
  'many files': (draft, random) => {
    const name = random.pick(['file', 'image', 'stray', '']);
    const count = random.size(300);
    for (let i = 0; i < count; i += 1) draft.parts.push(filePart(name, Buffer.from('a')));
  },
  'a part twice': (draft, random) => {
    draft.parts.push(random.pick(draft.parts));
  },
  'long value': (draft, random) => {
    draft.parts.push(textPart('model', 'a'.repeat(random.size(1_500_000))));
  },
  'deep value': (draft, random) => {
    const depth = random.size(100_000);
    draft.parts.push(textPart(random.pick(['output', 'speaker', 'options']), '['.repeat(depth)));
  },
  'no parts': (draft) => {
    draft.parts = [];
  },
  'empty file': (draft) => {
    draft.parts = draft.parts.map((part) => ({ ...part, content: Buffer.alloc(0) }));
  },
  'name of a charset': (draft, random) => {
    draft.parts.unshift(
      textPart('_charset_', random.pick(['utf-16', 'nope', 'base64', 'ascii', ''])),
    );
  },
  'boundary of odd letters': (draft, random) => {
    draft.boundary = random.pick([
      ...['', ' ', 'a'.repeat(70), 'a'.repeat(71), 'a'.repeat(10_000), '(.*)+', "'()+_,-./:=?"],
      ...['-', '--', 'X--', '\u00e9', 'a b', '[', '\\', 'constructor', '0'],
    ]);
    draft.contentType = `multipart/form-data; boundary="${draft.boundary}"`;
  },
  'boundary told in an odd way': (draft, random) => {
    draft.contentType = random.pick([
      ...['multipart/form-data', 'multipart/form-data; boundary', 'multipart/form-data; boundary='],
      ...['multipart/form-data; boundary=Y', 'multipart/form-data; boundary=X; boundary=Y'],
      ...['MULTIPART/FORM-DATA; BOUNDARY=X', 'multipart/form-data;boundary="X', 'multipart/mixed'],
      ...['multipart/form-data; charset=utf-16; boundary=X', 'multipart/form-data; boundary*=X'],
      ...['multipart/form-data, multipart/form-data; boundary=X', 'multipart/*; boundary=X'],
      `multipart/form-data; ${'a=b; '.repeat(2000)}boundary=X`,
    ]);
  },
  'line ends of another kind': (draft, random) => {
    draft.lineEnd = random.pick(['\n', '\r', '\r\r\n', '\n\r', '']);
  },
  'text before the first part': onBody((body, random) =>
    Buffer.concat([Buffer.from(oddText(random, mostBytes)), body]),
  ),
  'text after the last part': onBody((body, random) =>
    Buffer.concat([body, Buffer.from(oddText(random, mostBytes))]),
  ),
  'parts after the end': onBody((body) => Buffer.concat([body, body])),
  'cut short': onBody((body, random) => body.subarray(0, random.below(body.length + 1))),
  'bytes changed': onBody((body, random) => {
    const changed = Buffer.from(body);
    const count = random.between(1, 20);
    for (let i = 0; i < count; i += 1)
      changed[random.below(changed.length)] = random.pick([0, 10, 13, 34, 45, 58, 59, 255]);
    return changed;
  }),
  'a stretch left out': onBody((body, random) => {
    const from = random.below(body.length);
    return Buffer.concat([body.subarray(0, from), body.subarray(from + random.between(1, 40))]);
  }),
  'nothing but noise': onBody((_, random) => random.bytes(random.size(5000))),
  'a part within a part': onPart((part) => ({
    headers: [...part.headers, 'Content-Type: multipart/mixed; boundary=Y'],
    content: joined([filePart('file', tinyPng)], 'Y'),
  })),
  'encoded body': (draft, random) => {
    draft.headers.push([
      'Content-Encoding',
      random.pick(['gzip', 'deflate', 'br', 'identity', 'x']),
    ]);
  },
  'idempotency key': (draft, random) => {
    draft.headers.push(['Idempotency-Key', random.pick(['a', 'a'.repeat(256), '\u00e9', '\t'])]);
  },
  'hangs up early': (draft) => {
    draft.ending = 'hang up';
  },
};

export const multipartAttack = (random: Random): Attack => {
  const path = random.pick(Object.keys(goodParts));
  const draft: Draft = {
    parts: goodParts[path]?.() ?? [],
    boundary: 'X',
    lineEnd: '\r\n',
    contentType: 'multipart/form-data; boundary=X',
    headers: [],
    ending: 'answer',
  };
  const names = Object.keys(faults);
  const chosen = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => random.pick(names));
  for (const name of chosen) {
    if (draft.parts.length > 0) faults[name]?.(draft, random);
  }
  const whole = draft.body ?? joined(draft.parts, draft.boundary, draft.lineEnd);
  const isChunked = random.chance(0.2);
  const early = draft.ending === 'hang up';
  const sent = early ? whole.subarray(0, random.below(whole.length)) : whole;
  const body = isChunked && !early ? inChunks(sent, random.pick([1, 7, 1000, 65_536])) : sent;
  return {
    kind: 'multipart',
    what: chosen.join(', '),
    method: 'POST',
    path,
    headers: [
      bearer(),
      ['Content-Type', draft.contentType],
      async,
      ...draft.headers,
      isChunked && !early ? chunked : lengthOf(whole),
    ],
    body: isChunked && body.length > 2_000_000 ? inChunks(sent, 65_536) : body,
    ending: draft.ending,
  };
};
