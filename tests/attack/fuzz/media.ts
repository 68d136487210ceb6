/** Small files of every kind that is taken, and what becomes of them when bytes, lengths, boxes and chunks are changed. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { makeHeic } from '../../media/heic.ts';
import { h264, makeClip, pattern, tone } from '../../real/clip.ts';
import { portrait } from '../../real/talking.ts';
import { type Attack, async, bearer, lengthOf } from './attack.ts';
import { filePart, joined, textPart } from './multipart.ts';
import type { Random } from './random.ts';

type Role = 'image' | 'video' | 'audio';
export type Sample = { readonly name: string; readonly role: Role; readonly bytes: Buffer };

/** Made once for a run; their bytes are the same each time. */
export const makeSamples = async (dir: string): Promise<readonly Sample[]> => {
  await mkdir(dir, { recursive: true });
  const picture = sharp({
    create: {
      width: 16,
      height: 12,
      channels: 4,
      background: { r: 90, g: 120, b: 40, alpha: 0.8 },
    },
  });
  const heic = picture.clone().resize(96, 72, { kernel: 'nearest' }).removeAlpha();
  const images = [
    ['png', await picture.clone().png().toBuffer()],
    ['jpeg', await picture.clone().withMetadata({ orientation: 6 }).jpeg().toBuffer()],
    ['webp', await picture.clone().webp().toBuffer()],
    ['avif', await picture.clone().avif({ effort: 0 }).toBuffer()],
    ['gif', await picture.clone().gif().toBuffer()],
    ['tiff', await picture.clone().tiff().toBuffer()],
    ['heic', await readFile(await makeHeic(join(dir, 'small.heic'), heic, { tile: 64 }))],
    ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ['face.jpeg', await sharp(portrait).resize(160).jpeg().toBuffer()],
  ] as const;
  const bitexact = ['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'];
  const clip = [...pattern(0.4, 10, '32x24'), ...tone(0.4)];
  const face = ['-loop', '1', '-framerate', '10', '-i', portrait, ...tone(0.5), '-t', '0.5'];
  const title = ['-metadata', 'title=Stream #0:0: Video: h264, 9x9, 9 fps'];
  const vp8 = ['-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'];
  const outputs = [
    ['video', 'a.mp4', clip, [...h264, '-c:a', 'aac']],
    ['video', 'fast.mp4', clip, [...h264, '-c:a', 'aac', '-movflags', '+faststart', ...title]],
    ['video', 'parts.mp4', clip, [...h264, '-an', '-movflags', '+frag_keyframe+empty_moov']],
    ['video', 'face.mp4', face, ['-vf', 'scale=160:-2', ...h264, '-c:a', 'aac']],
    ['video', 'a.mov', clip, ['-c:v', 'mpeg4', '-c:a', 'pcm_s16le']],
    ['video', 'a.avi', clip, ['-c:v', 'mjpeg', '-c:a', 'libmp3lame']],
    ['video', 'a.webm', clip, vp8],
    ['video', 'a.mkv', clip, vp8],
    ['audio', 'a.mp3', tone(0.5), ['-c:a', 'libmp3lame', ...title]],
    ['audio', 'a.wav', tone(0.3), []],
    ['audio', 'a.aac', tone(0.5), ['-c:a', 'aac']],
    ['audio', 'a.m4a', tone(0.5), ['-c:a', 'aac']],
    ['audio', 'a.flac', tone(0.5), []],
    ['audio', 'a.ogg', tone(0.5), ['-c:a', 'libopus']],
  ] as const;
  const films: Sample[] = [];
  for (const [role, name, source, output] of outputs) {
    const path = await makeClip(join(dir, name), source, [...output, ...bitexact]);
    films.push({ role, name, bytes: await readFile(path) });
  }
  const pictures = images.map(([name, bytes]) => ({ role: 'image' as const, name, bytes }));
  for (const { name, bytes } of pictures) await writeFile(join(dir, name), bytes);
  return [...pictures, ...films];
};

type Change = (bytes: Buffer, random: Random, others: readonly Sample[]) => Buffer;

const extremes = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff] as const;

/** A copy of the bytes that `change` writes into. */
const edited =
  (change: (bytes: Buffer, random: Random) => void): Change =>
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    if (copy.length > 8) change(copy, random);
    return copy;
  };

/** Where a change does most: in front, where headers are, or anywhere. */
const place = (bytes: Buffer, random: Random, room: number): number =>
  random.below(Math.max(1, Math.min(bytes.length, random.pick([64, 600, bytes.length])) - room));

/** What stands at `at` as a span of its own: a box of MP4, a chunk of PNG or RIFF. Lengths are what the file says. */
const spansOf = (bytes: Buffer): readonly (readonly [from: number, to: number])[] => {
  const spans: [number, number][] = [];
  const isPng = bytes.readUInt32BE(0) === 0x8950_4e47;
  const isRiff = bytes.toString('latin1', 0, 4) === 'RIFF';
  let at = isPng ? 8 : isRiff ? 12 : 0;
  while (at + 8 <= bytes.length && spans.length < 500) {
    const length = isRiff
      ? 8 + bytes.readUInt32LE(at + 4) + (bytes.readUInt32LE(at + 4) % 2)
      : bytes.readUInt32BE(at) + (isPng ? 12 : 0);
    if (length < 8 || at + length > bytes.length) break;
    spans.push([at, at + length]);
    at += length;
    const name = bytes.toString('latin1', spans.at(-1)?.[0] ?? 0, at).slice(4, 8);
    // What these hold are boxes again.
    if (['moov', 'trak', 'mdia', 'minf', 'stbl'].includes(name)) at -= length - 8;
  }
  return spans;
};

const onSpan =
  (
    change: (
      parts: { before: Buffer; span: Buffer; after: Buffer },
      random: Random,
    ) => readonly Buffer[],
  ): Change =>
  (bytes, random) => {
    const spans = bytes.length > 16 ? spansOf(bytes) : [];
    if (spans.length === 0) return changes['bits turned']?.(bytes, random, []) ?? bytes;
    const [from, to] = random.pick(spans);
    const parts = {
      before: bytes.subarray(0, from),
      span: bytes.subarray(from, to),
      after: bytes.subarray(to),
    };
    return Buffer.concat(change(parts, random)).subarray(0, 2_000_000);
  };

const changes: Readonly<Record<string, Change>> = {
  'as it is': (bytes) => bytes,
  'bits turned': edited((bytes, random) => {
    const count = random.pick([1, 2, 8, 64]);
    for (let i = 0; i < count; i += 1) {
      const at = place(bytes, random, 0);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
  }),
  'cut short': (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  'the beginning cut off': (bytes, random) => bytes.subarray(random.below(bytes.length)),
  'a number made extreme': edited((bytes, random) => {
    const at = place(bytes, random, 4);
    const value = random.pick(extremes);
    if (random.chance(0.5)) bytes.writeUInt32BE(value, at);
    else bytes.writeUInt32LE(value, at);
  }),
  'short numbers made extreme': edited((bytes, random) => {
    const count = random.between(1, 6);
    for (let i = 0; i < count; i += 1)
      bytes.writeUInt16BE(random.pick([0, 1, 0x7fff, 0x8000, 0xffff]), place(bytes, random, 2));
  }),
  'a stretch of one byte': edited((bytes, random) => {
    const from = place(bytes, random, 0);
    const value = random.pick([0, 0xff, 0x41]);
    bytes.fill(value, from, Math.min(bytes.length, from + random.size(bytes.length)));
  }),
  'a stretch again and again': (bytes, random) => {
    const from = random.below(bytes.length);
    const piece = bytes.subarray(from, from + random.size(200));
    const times = random.size(3000);
    return Buffer.concat([
      bytes.subarray(0, from),
      ...Array.from({ length: times }, () => piece),
      bytes.subarray(from),
    ]);
  },
  'a span again and again': onSpan(({ before, span, after }, random) => [
    before,
    ...Array.from({ length: random.size(500) + 1 }, () => span),
    after,
  ]),
  'a span left out': onSpan(({ before, after }) => [before, after]),
  'a span at the end': onSpan(({ before, span, after }) => [before, after, span]),
  'a span of another length': onSpan(({ before, span, after }, random) => {
    const changed = Buffer.from(span);
    if (random.chance(0.5)) changed.writeUInt32BE(random.pick(extremes), 0);
    else changed.writeUInt32LE(random.pick(extremes), random.pick([0, 4]));
    return [before, changed, after];
  }),
  'a span of another name': onSpan(({ before, span, after }, random) => {
    const changed = Buffer.from(span);
    const names = ['moov', 'trak', 'free', 'mdat', 'IHDR', 'IDAT', 'tEXt', 'fmt ', 'data', 'LIST'];
    changed.write(random.pick(names), random.pick([0, 4]), 'latin1');
    return [before, changed, after];
  }),
  'the head of another file': (bytes, random, others) => {
    const count = random.size(600) + 4;
    return Buffer.concat([random.pick(others).bytes.subarray(0, count), bytes.subarray(count)]);
  },
  'another file spliced in': (bytes, random, others) => {
    const other = random.pick(others).bytes;
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length)),
      other.subarray(random.below(other.length)),
    ]);
  },
  'another file behind it': (bytes, random, others) =>
    Buffer.concat([bytes, random.pick(others).bytes]),
  'noise behind its head': (bytes, random) =>
    Buffer.concat([bytes.subarray(0, random.size(600)), random.bytes(random.size(3000))]),
  'a list of files': () =>
    Buffer.from(
      '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\nffconcat version 1.0\nfile /etc/passwd\n',
    ),
};

type Way = { readonly path: string; readonly roles: readonly (readonly Role[])[] };

const looks: readonly Way[] = [
  { path: '/v1/uploads', roles: [['image', 'video', 'audio']] },
  { path: '/v1/upscale/estimate', roles: [['image', 'video']] },
  { path: '/v1/lipsync/estimate', roles: [['image', 'video'], ['audio']] },
];
const jobs: readonly Way[] = [
  { path: '/v1/upscale', roles: [['image', 'video']] },
  { path: '/v1/lipsync', roles: [['image', 'video'], ['audio']] },
];

/** `jobShare` of them ask for a job, the others for a price or an upload. */
export const mediaAttack = (
  random: Random,
  samples: readonly Sample[],
  jobShare: number,
): Attack => {
  const { path, roles } = random.pick(random.chance(jobShare) ? jobs : looks);
  const files = roles.map((allowed) => {
    const sample = random.pick(samples.filter(({ role }) => allowed.includes(role)));
    const names = Object.keys(changes);
    const made = Array.from({ length: random.pick([1, 1, 2]) }, () => random.pick(names));
    const bytes = made.reduce(
      (now, name) => (now.length > 0 ? (changes[name]?.(now, random, samples) ?? now) : now),
      sample.bytes,
    );
    return { sample, made, bytes };
  });
  const fields = path.includes('upscale')
    ? [
        textPart('model', random.pick(['photo', 'animation'])),
        textPart('scale', random.pick(['2', '2', '4', '8'])),
      ]
    : path.includes('lipsync')
      ? [
          textPart('model', 'fast'),
          textPart('sync_mode', random.pick(['cut_off', 'loop', 'remap'])),
        ]
      : [];
  const parts = files.map(({ sample, bytes }) =>
    filePart(path.endsWith('uploads') ? 'file' : sample.role, bytes, sample.name),
  );
  const boundary = 'a boundary that no file holds'.replaceAll(' ', '-');
  const body = joined([...fields, ...parts], boundary);
  return {
    kind: 'media',
    what: files.map(({ sample, made }) => `${sample.name}: ${made.join(', ')}`).join(' + '),
    method: 'POST',
    path,
    headers: [
      bearer(),
      ['Content-Type', `multipart/form-data; boundary=${boundary}`],
      async,
      lengthOf(body),
    ],
    body,
    ending: 'answer',
  };
};
