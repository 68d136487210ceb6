/** JSON bodies: types, depth, sizes, inherited names, numbers, letters, doubled keys, and what is no JSON at all. */
import { deflateSync, gzipSync } from 'node:zlib';
import {
  type Attack,
  async,
  bearer,
  chunked,
  type Header,
  inChunks,
  lengthOf,
  marks,
  type Target,
} from './attack.ts';
import type { Random } from './random.ts';
import { inherited, oddName, oddNumber, oddText, oddUrl, oddValue } from './words.ts';

type Fields = Record<string, unknown>;

const goodBodies = ({ upload, job }: Target): Readonly<Record<string, Fields>> => {
  const upscale = { model: 'photo', scale: 2, image_url: upload, output: { quality: 80 } };
  const lipsync = {
    model: 'fast',
    video_url: upload,
    audio_url: upload,
    sync_mode: 'loop',
    speaker: { boxes: [[0, 0, 9, 9], null] },
    options: { background: { mode: 'mix' } },
    segments: [{ start: 0, end: 1, audio: { start: 0 } }],
  };
  return {
    '/v1/upscale': upscale,
    '/v1/upscale/estimate': upscale,
    '/v1/lipsync': lipsync,
    '/v1/lipsync/estimate': lipsync,
    '/v1/uploads': {},
    '/v1/admin/keys': { account: 'fuzz', name: 'a', scopes: ['read'], expires_in_seconds: 60 },
    '/v1/admin/credits': { account: 'fuzz', credits: 1, note: 'a' },
    '/v1/admin/keys/key_0/rotate': { overlap_seconds: 1 },
    [`/v1/jobs/${job}/cancel`]: {},
  };
};

/** A change of the value itself. */
const ofValues: Readonly<Record<string, (body: Fields, random: Random) => unknown>> = {
  'odd value': (body, random) => changed(body, random, oddValue(random)),
  'odd number': (body, random) => changed(body, random, oddNumber(random)),
  'odd text': (body, random) => changed(body, random, oddText(random)),
  'odd URL': (body, random) =>
    Object.fromEntries(
      Object.entries(body).map(([name, value]) => [
        name,
        name.endsWith('_url') ? oddUrl(random) : value,
      ]),
    ),
  'field left out': (body, random) => {
    const without = random.pick(Object.keys({ ...body, a: 1 }));
    return Object.fromEntries(Object.entries(body).filter(([name]) => name !== without));
  },
  'field of an inherited name': (body, random) =>
    Object.fromEntries([
      ...Object.entries(body),
      [random.pick(inherited), oddValue(random, 10)],
      [random.pick(inherited), oddText(random, 10)],
    ]),
  'inherited name inside': (body, random) =>
    changed(
      body,
      random,
      Object.fromEntries([
        [random.pick(inherited), 1],
        [oddName(random, 50), 1],
      ]),
    ),
  'unknown fields': (body, random) => ({
    ...body,
    ...Object.fromEntries(
      Array.from({ length: random.size(40_000) }, (_, i) => [`${oddName(random, 5)}${i}`, 0]),
    ),
  }),
  'long list': (body, random) => ({
    ...body,
    segments: Array.from({ length: random.size(170_000) }, () => 0),
  }),
  'list of boxes': (body, random) => {
    const box = random.pick([[], null, 'a', [1, 2, 3, 4], [null], {}]);
    return { ...body, speaker: { boxes: Array.from({ length: random.size(120_000) }, () => box) } };
  },
  'list of segments': (body, random) => {
    const segment = random.pick([{}, { start: 'a' }, { start: 0, end: 1, audio: null }, null]);
    return { ...body, segments: Array.from({ length: random.size(30_000) }, () => segment) };
  },
  'list of scopes': (body, random) => ({
    ...body,
    scopes: Array.from({ length: random.size(90_000) }, () => random.pick(['read', 'x', 0])),
  }),
  'no object': (_, random) => oddValue(random),
};

const changed = (body: Fields, random: Random, value: unknown): Fields => {
  const name = random.pick([...Object.keys(body), 'output', 'speaker', 'options', 'credits']);
  return { ...body, [name]: value };
};

/** A change of the text. */
const ofTexts: Readonly<Record<string, (text: string, random: Random) => string>> = {
  'cut short': (text, random) => text.slice(0, random.below(text.length)),
  'text behind it': (text, random) => text + random.pick([' x', '{}', '\u0000', ',', '//', text]),
  'a key twice': (text) => text.replace('{', '{"model":"detail","model":7,"__proto__":{"a":1},'),
  'deep arrays': (_, random) => '['.repeat(random.size(400_000)),
  'deep objects': (_, random) => '{"a":'.repeat(random.size(80_000)),
  'deep and closed': (_, random) => {
    const depth = random.size(200_000);
    return `{"output":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  },
  'numbers that are none': (text, random) =>
    text.replace(/\d+/, random.pick(['NaN', 'Infinity', '-', '01', '1e9999', '0x2', '.5', '1.'])),
  'a very long number': (text, random) => text.replace(/\d+/, '9'.repeat(random.size(300_000) + 1)),
  'odd letters': (text, random) =>
    text.replace(
      /[a-z]+/,
      random.pick(['\\ud800', '\\u0000', '\u0000', '\u2028', '\ufffd', '\\x', '\\u00']),
    ),
  'a mark of byte order': (text) => `\ufeff${text}`,
  'empty or blank': (_, random) => random.pick(['', ' ', '\n\n', ' '.repeat(600_000), '\u0000']),
  'other quotes': (text) => text.replaceAll('"', "'"),
  comments: (text) => `/* a */${text}`,
  'a long text': (text, random) =>
    text.replace(/"[a-z]+"/, `"${'\\u0041'.repeat(random.size(80_000))}"`),
};

/** A change of the bytes or of how they are told. */
const ofBytes: Readonly<Record<string, (body: Buffer, random: Random) => [Buffer, Header[]]>> = {
  'bytes that are no UTF-8': (body, random) => {
    const odd = Buffer.from(body);
    odd[random.below(odd.length)] = random.pick([0x80, 0xc0, 0xff, 0xfe]);
    return [odd, [json]];
  },
  UTF16: (body) => [Buffer.from(body.toString(), 'utf16le'), [json]],
  compressed: (body, random) =>
    random.chance(0.5)
      ? [gzipSync(body), [json, ['Content-Encoding', 'gzip']]]
      : [deflateSync(body), [json, ['Content-Encoding', 'deflate']]],
  bomb: (_, random) => [
    gzipSync(Buffer.alloc(random.size(50_000_000), ' ')),
    [json, ['Content-Encoding', 'gzip']],
  ],
  'a compression that lies': (body, random) => [
    random.chance(0.5) ? body : gzipSync(body).subarray(0, 12),
    [json, ['Content-Encoding', random.pick(['gzip', 'deflate', 'br', 'zstd', 'x', 'gzip, gzip'])]],
  ],
  'another content type': (body, random) => [
    body,
    [
      [
        'Content-Type',
        random.pick([
          ...[
            'text/plain',
            'application/x-www-form-urlencoded',
            'application/json; charset=utf-16',
          ],
          ...[
            'application/json; charset=nope',
            'application/vnd.api+json',
            '',
            'application/json,',
          ],
          ...['application/csp-report', 'text/json', 'application/json; a="'.padEnd(9000, 'b')],
        ]),
      ],
    ],
  ],
  'an odd Idempotency-Key': (body, random) => [
    body,
    [json, ['Idempotency-Key', random.pick(['a', '', 'é', 'a'.repeat(256), 'a'.repeat(5000)])]],
  ],
  'an odd Prefer': (body, random) => [
    body,
    [
      json,
      [
        'Prefer',
        random.pick([
          ...['wait=0', 'wait=-1', 'wait=1e9', 'wait=NaN', 'wait', 'respond-async, wait=1', ',,,'],
          ...['wait=1; a', 'respond-async="x"', 'a, '.repeat(1500), 'wait="1'],
        ]),
      ],
    ],
  ],
};

const json: Header = ['Content-Type', 'application/json'];

export const jsonAttack = (random: Random, target: Target): Attack => {
  const [path, good] = random.pick(Object.entries(goodBodies(target)));
  const [what, body, headers] = mutated(good, random);
  const isChunked = random.chance(0.1);
  return {
    kind: 'json',
    what,
    method: 'POST',
    path,
    headers: [
      bearer(path.startsWith('/v1/admin') ? marks.adminKey : undefined),
      ...(headers.some(([name]) => name === 'Prefer') ? [] : [async]),
      ...headers,
      isChunked ? chunked : lengthOf(body),
    ],
    body: isChunked ? inChunks(body, random.pick([100, 65_536])) : body,
    ending: 'answer',
  };
};

const mutated = (good: Fields, random: Random): [string, Buffer, Header[]] => {
  const kind = random.pick(['value', 'value', 'text', 'bytes']);
  if (kind === 'value') {
    const what = random.pick(Object.keys(ofValues));
    const value = ofValues[what]?.(good, random);
    return [what, Buffer.from(JSON.stringify(value) ?? ''), [json]];
  }
  if (kind === 'text') {
    const what = random.pick(Object.keys(ofTexts));
    return [what, Buffer.from(ofTexts[what]?.(JSON.stringify(good), random) ?? ''), [json]];
  }
  const what = random.pick(Object.keys(ofBytes));
  const [body, headers] = ofBytes[what]?.(Buffer.from(JSON.stringify(good)), random) ?? [
    Buffer.alloc(0),
    [json],
  ];
  return [what, body, headers];
};
