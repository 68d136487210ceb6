/** Small files that would take a library seconds and gigabytes, sent to a real API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Size } from '../../src/frame.ts';
import { pngChunk } from '../../src/media/image/png-chunk.ts';
import { realApi } from '../http/api.ts';
import { refused } from '../http/told.ts';
import { bmpOf } from '../media/bmp.ts';
import { tiffOf } from '../media/tiff.ts';
import { h264, makeClip, pattern } from '../real/clip.ts';
import { decodersOf } from '../real/decoders.ts';
import { told } from '../real/processes.ts';
import { tempDir } from '../real/run.ts';

const test = suite('bombs');
const MEMORY_MB = 640;
const api = await realApi({
  PROBE_MAX_MEMORY_MB: String(MEMORY_MB),
  PROBES_AT_ONCE: '2',
  PROBES_WAITING: '3',
  RATE_CREATE_PER_MINUTE: '10000',
});
const { http } = await api.caller();
const other = await api.caller();
const folder = tempDir('bombs');

type Bytes = Uint8Array<ArrayBuffer>;
const formOf = (part: string, bytes: Bytes): FormData => {
  const form = new FormData();
  form.append('model', 'photo');
  form.append('scale', '2');
  form.append(part, new Blob([bytes]), 'x');
  return form;
};
const estimate = (part: string, bytes: Bytes, by = http) =>
  by.post('/v1/upscale/estimate', formOf(part, bytes));
const timed = async <T>(work: Promise<T>): Promise<{ answer: T; seconds: number }> => {
  const from = performance.now();
  return { answer: await work, seconds: (performance.now() - from) / 1000 };
};

/** One frame of 8192x8192, whose track stands twenty times in a file of 0.3 MB. */
const one = await makeClip(
  join(folder, 'one.mp4'),
  ['-f', 'lavfi', '-i', 'color=c=red:size=8192x8192:rate=1:duration=1'],
  ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'],
);
const twenty = Uint8Array.from(
  readFileSync(
    await makeClip(
      join(folder, 'twenty.mp4'),
      ['-i', one],
      [...Array.from({ length: 20 }, () => ['-map', '0:v:0']).flat(), '-c', 'copy'],
    ),
  ),
);

/** What /proc told of the API's decoders while `work` ran. */
const watched = async <T>(work: Promise<T>) => {
  let [over, peakMb, most] = [false, 0, 0];
  const environments = new Set<string>();
  const limits = new Set<string>();
  const watch = async () => {
    for (; !over; await sleep(5)) {
      const decoders = decodersOf(process.pid);
      most = Math.max(most, decoders.length);
      for (const pid of decoders) {
        const [, peak = '0'] = /VmPeak:\s+(\d+)/.exec(told(pid, 'status')) ?? [];
        peakMb = Math.max(peakMb, Number(peak) / 1024);
        environments.add(told(pid, 'environ').replaceAll('\0', ' ').trim());
        for (const name of ['Max address space', 'Max cpu time', 'Max core file size'])
          limits.add(lineOf(told(pid, 'limits'), name));
      }
    }
  };
  const watching = watch();
  const answer = await work.finally(() => {
    over = true;
  });
  await watching;
  return { answer, peakMb, most, environments: [...environments], limits: [...limits] };
};

const lineOf = (text: string, name: string): string =>
  (text.split('\n').find((line) => line.startsWith(name)) ?? '').replace(/\s+/g, ' ').trim();

test('a track that stands in a file twenty times takes no more memory than a probe may', async () => {
  process.env.OF_THE_SERVICE = 'a secret';
  const { answer, seconds } = await timed(watched(estimate('video', twenty)));
  assert.ok([413, 422].includes(answer.answer.status), JSON.stringify(answer.answer.data));
  assert.ok(seconds < 20, `${seconds} s`);
  assert.ok(answer.peakMb <= MEMORY_MB, `${answer.peakMb} MB`);
  assert.ok(
    answer.limits.includes(
      `Max address space ${MEMORY_MB * 1024 ** 2} ${MEMORY_MB * 1024 ** 2} bytes`,
    ),
  );
  assert.ok(answer.limits.includes('Max cpu time 60 65 seconds'));
  assert.ok(answer.limits.includes('Max core file size 0 0 bytes'));
});

test('a decoder knows nothing of the environment of the service', async () => {
  process.env.OF_THE_SERVICE = 'a secret';
  const { environments } = await watched(estimate('video', twenty));
  const running = environments.filter((text) => text.includes('LC_ALL=C'));
  assert.ok(running.length > 0);
  for (const text of running) {
    const names = text.split(' ').map((entry) => entry.split('=')[0] ?? '');
    const stray = names.filter(
      (name) => !/^(LC_ALL|MALLOC_ARENA_MAX|PATH|ENHANCE_RUN|PWD|OLDPWD|SHLVL|_)$/.test(name),
    );
    assert.equal(stray, []);
  }
});

/**
 * Clips of 30,000 packets, which take a second or so to read, far longer than six requests to arrive; and a small one. Each
 * long one has content of its own, as what a file was found to be is remembered.
 */
const clipsToLookAt = async (): Promise<{ long: () => Bytes; small: Bytes }> => {
  const fine = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '1000', '-pix_fmt', 'yuv420p'];
  await makeClip(join(folder, 'thousand.mp4'), pattern(0.1, 10_000, '16x16'), fine);
  const loop = ['-stream_loop', '29', '-i', join(folder, 'thousand.mp4')];
  const long = await makeClip(join(folder, 'long-look.mp4'), loop, ['-c', 'copy']);
  const small = await makeClip(join(folder, 'small.mp4'), pattern(0.2), h264);
  const content = readFileSync(long);
  let made = 0;
  return {
    long: () => {
      made += 1;
      return Uint8Array.from(Buffer.concat([content, freeBox(`${made}`)]));
    },
    small: Uint8Array.from(readFileSync(small)),
  };
};
/** A box of an MP4 that readers skip. */
const freeBox = (text: string): Buffer => {
  const box = Buffer.from(`    free${text}`);
  box.writeUInt32BE(box.length);
  return box;
};
const { long, small } = await clipsToLookAt();

test('six files at once are looked at two at a time, and one caller does not keep others waiting', async () => {
  const all = Array.from({ length: 6 }, () => estimate('video', long()));
  const between = sleep(50).then(() => estimate('video', small, other.http));
  const { answer, most } = await watched(Promise.all(all));
  assert.is(most, 2);
  // Where the other caller's comes early, it has one of the two places, and there is room for one less.
  const full = answer.filter(({ status }) => status !== 200);
  assert.ok(full.length === 1 || full.length === 2, `${full.length}`);
  for (const one of full) {
    refused(one, 503, 'queue_full');
    assert.match(one.headers['retry-after'], /^\d+$/);
  }
  const good = await between;
  assert.is(good.status, 200, JSON.stringify(good.data));
});

test('an estimate waits behind no jobs, though they are of the same account', async () => {
  let answered = 0;
  const send = async () => {
    const form = formOf('video', long());
    const { status } = await http.post('/v1/upscale', form, {
      headers: { prefer: 'respond-async' },
    });
    answered += 1;
    return status;
  };
  const jobs = Promise.all([send(), send(), send(), send()]);
  await sleep(50);
  const { status } = await estimate('video', small);
  assert.is(status, 200);
  assert.ok(answered < 3, `${answered} of four jobs came first`);
  for (const one of await jobs) assert.is(one, 202);
});

/** A file with a PNG whose header says other sides than it has: to make one of 201 MB takes a busy machine half a minute. */
const claimed = (file: Buffer, { width, height }: Size): Bytes => {
  const at = file.indexOf('IHDR');
  const sides = Buffer.from(file.subarray(at + 4, at + 4 + 13));
  sides.writeUInt32BE(width, 0);
  sides.writeUInt32BE(height, 4);
  pngChunk('IHDR', sides).copy(file, at - 4);
  return Uint8Array.from(file);
};

test('a video that takes more memory than a probe may is refused in a sentence', async () => {
  const strict = await realApi({
    PROBE_MAX_MEMORY_MB: '256',
    VIDEO_MAX_LONG_SIDE: '8192',
    VIDEO_MAX_SHORT_SIDE: '8192',
    VIDEO_MAX_OUTPUT_SIDE: '16384',
  });
  try {
    const by = await strict.caller();
    const deep = ['-c:v', 'png', '-pix_fmt', 'rgb48be', '-frames:v', '1'];
    const file = await makeClip(join(folder, 'deep.mov'), pattern(0.1), deep);
    const large = claimed(readFileSync(file), { width: 8192, height: 4096 });
    const answer = await estimate('video', large, by.http);
    const { detail } = refused(answer, 422, 'media_unreadable');
    assert.match(detail, /it takes more than 256 MB of memory/);
  } finally {
    await strict.close();
  }
});

const times = (piece: Uint8Array, count: number): Buffer =>
  Buffer.alloc(piece.length * count, piece);
const drawn = sharp({ create: { width: 64, height: 64, channels: 3, background: '#48c' } });
const [png, jpeg, webp, avif] = await Promise.all([
  drawn.clone().png().toBuffer(),
  drawn.clone().jpeg().toBuffer(),
  drawn.clone().webp().toBuffer(),
  drawn.clone().avif({ effort: 0 }).toBuffer(),
]);
const after = (picture: Buffer, at: number, more: Buffer): Bytes =>
  Uint8Array.from(Buffer.concat([picture.subarray(0, at), more, picture.subarray(at)]));

const IHDR_END = 33;
const riff = (body: Buffer): Bytes => {
  const head = Buffer.from('RIFF0000WEBP', 'latin1');
  head.writeUInt32LE(body.length + 4, 4);
  return Uint8Array.from(Buffer.concat([head, body]));
};
const vp8x = Buffer.from('VP8X\x0a\0\0\0\x08\0\0\0\x3f\0\0\x3f\0\0', 'latin1');
const free = Buffer.from('\0\0\0\x08free', 'latin1');

const crowded: [what: string, picture: () => Bytes][] = [
  ['a PNG of 4 million empty chunks', () => after(png, IHDR_END, times(pngChunk('abCd'), 4e6))],
  ['a PNG of half a million empty texts', () => after(png, IHDR_END, times(pngChunk('tEXt'), 5e5))],
  [
    'a PNG of 200,000 palettes',
    () => after(png, IHDR_END, times(pngChunk('PLTE', Buffer.alloc(3)), 2e5)),
  ],
  [
    'a PNG of half a million empty pieces of pixels',
    () => after(png, IHDR_END, times(pngChunk('IDAT'), 5e5)),
  ],
  [
    'a JPEG of a million empty EXIF segments',
    () => after(jpeg, 2, times(Buffer.from([0xff, 0xe1, 0, 2]), 1e6)),
  ],
  [
    'a JPEG of a million comments',
    () => after(jpeg, 2, times(Buffer.from([0xff, 0xfe, 0, 2]), 1e6)),
  ],
  [
    'a WebP of half a million empty chunks',
    () =>
      riff(
        Buffer.concat([vp8x, webp.subarray(12), times(Buffer.from('EXIF\0\0\0\0', 'latin1'), 5e5)]),
      ),
  ],
  [
    'an AVIF of half a million empty boxes',
    () => after(avif, avif.readUInt32BE(0), times(free, 5e5)),
  ],
];
for (const [what, picture] of crowded) {
  test(`${what} is refused at once`, async () => {
    const bytes = picture();
    const { answer, seconds } = await timed(estimate('image', bytes));
    const { detail } = refused(answer, 422, 'media_unreadable');
    assert.match(detail, /more than 100000 chunks/);
    // Most of it is the sending of some ten megabytes.
    assert.ok(seconds < 20, `${seconds} s`);
  });
}

const grey = { width: 4, height: 4, bits: 8, data: Buffer.alloc(16) } as const;
const flat = { width: 4, height: 4, channels: 3, pixels: Buffer.alloc(48) } as const;
const gif = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
  .gif()
  .toBuffer();
/** Of the GIF above: a header of 13 bytes and its palette. */
const gifStart = 13 + 3 * 2 ** (((gif[10] ?? 0) & 7) + 1);
/** Shown for 40 ms; then a picture whose codes of three bits are: clear, the first colour, end. */
const onePixel = Buffer.from([
  ...[0x21, 0xf9, 4, 0, 4, 0, 0, 0],
  ...[0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0],
]);
/** A BMP whose header claims other sides than it has. */
const claiming = (side: number): Bytes => {
  const bytes = bmpOf(flat);
  bytes.writeInt32LE(side, 18);
  bytes.writeInt32LE(side, 22);
  return Uint8Array.from(bytes);
};

const large: [what: string, picture: () => Bytes, status: number, code: string][] = [
  [
    'a TIFF of 300,000 pages',
    () => Uint8Array.from(tiffOf(grey, { pages: 300_000 })),
    ...([415, 'unsupported_media_type'] as const),
  ],
  [
    'a GIF of a million pictures',
    () => after(gif, gifStart, times(onePixel, 1e6)),
    ...([413, 'media_too_long'] as const),
  ],
  [
    'a TIFF that claims 60,000 x 60,000 pixels',
    () => Uint8Array.from(tiffOf({ ...grey, width: 60_000, height: 60_000 })),
    ...([413, 'resolution_too_large'] as const),
  ],
  [
    'a BMP that claims 60,000 x 60,000 pixels',
    () => claiming(60_000),
    ...([413, 'resolution_too_large'] as const),
  ],
];
for (const [what, picture, status, code] of large) {
  test(`${what} is refused at once`, async () => {
    const bytes = picture();
    const { answer, seconds } = await timed(estimate('image', bytes));
    refused(answer, status, code);
    // Most of it is the sending of some ten megabytes.
    assert.ok(seconds < 20, `${seconds} s`);
  });
}

test('a GIF of ten million empty comments, whose pictures are not counted, is a video of one at once', async () => {
  const bytes = after(gif, gifStart, times(Buffer.from([0x21, 0xfe, 0]), 1e7));
  const { answer, seconds } = await timed(estimate('image', bytes));
  assert.equal([answer.status, answer.data.input_frames], [200, 1]);
  assert.ok(seconds < 20, `${seconds} s`);
});

/** By the rules: a first look at all coefficients of no frequency, then one at each bit of each other one. */
const scans = (count: number): Bytes => {
  const segment = (marker: number, data: number[]) =>
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data]);
  const oneCode = [1, ...Array<number>(15).fill(0)];
  const side = 2000;
  const blocks = (side / 8) ** 2;
  const heads = [
    segment(0xdb, [0, ...Array<number>(64).fill(1)]),
    segment(0xc2, [8, side >> 8, side & 255, side >> 8, side & 255, 1, 1, 0x11, 0]),
    segment(0xc4, [0, ...oneCode, 0]),
    segment(0xc4, [0x10, ...oneCode, 0xe0]),
  ];
  const first = [segment(0xda, [1, 1, 0, 0, 0, 0]), Buffer.alloc(blocks / 8 + 1)];
  // So often "32,767 blocks without": a bit of 0, fourteen of 1; in bytes, and after 0xff a 0.
  const without = '011111111111111'.repeat(Math.ceil(blocks / 32_767)).padEnd(32, '1');
  const codes = (without.match(/.{8}/g) ?? []).flatMap((bits) => {
    const byte = Number.parseInt(bits, 2);
    return byte === 0xff ? [byte, 0] : [byte];
  });
  const rest = Array.from({ length: count - 1 }, (_, i) => {
    const [frequency, bit] = [1 + Math.floor(i / 14), 13 - (i % 14)];
    const before = bit === 13 ? 0 : bit + 1;
    const head = segment(0xda, [1, 1, 0, frequency, frequency, (before << 4) | bit]);
    return Buffer.concat([head, Buffer.from(codes)]);
  });
  const all = [Buffer.from([0xff, 0xd8]), ...heads, ...first, ...rest, Buffer.from([0xff, 0xd9])];
  return Uint8Array.from(Buffer.concat(all));
};

test('a JPEG of hundreds of scans, each over the whole picture, is refused at once', async () => {
  const { answer, seconds } = await timed(estimate('image', scans(800)));
  const { detail } = refused(answer, 422, 'media_unreadable');
  assert.match(detail, /more than 100 scans/);
  assert.ok(seconds < 20, `${seconds} s`);
  // It is a good picture else.
  const { data, info } = await sharp(scans(100)).raw().toBuffer({ resolveWithObject: true });
  assert.equal([info.width, info.height, data[0]], [2000, 2000, 128]);
  assert.is((await estimate('image', scans(100))).status, 200);
});

/** Of `scans`: the start of the image, and a table of 65 bytes behind its marker and length. */
const FIRST_SEGMENT_END = 2 + 4 + 65;

test('bytes that libjpeg goes over hide no scan and no part', async () => {
  const picture = Buffer.from(scans(800));
  for (const hidden of [[0x11], [0xff, 0xd0], [0xff, 0x01], [0xff, 0xd8], [0x11, 0xff, 0, 0xff]]) {
    const { detail } = refused(
      await estimate('image', after(picture, FIRST_SEGMENT_END, Buffer.from(hidden))),
      422,
      'media_unreadable',
    );
    assert.match(detail, /more than 100 scans/, `${hidden}`);
  }
});

test('pictures of many parts that are no more than that are taken', async () => {
  const notes = times(pngChunk('tEXt', Buffer.from('Comment\0hello')), 90_000);
  const { answer, seconds } = await timed(estimate('image', after(png, IHDR_END, notes)));
  assert.is(answer.status, 200, JSON.stringify(answer.data));
  assert.ok(seconds < 20, `${seconds} s`);
});

test('nothing of it is left behind', async () => {
  await api.nothingLeft();
  assert.equal(decodersOf(process.pid), []);
});

test.after(api.close);
test.run();
