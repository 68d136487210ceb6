/**
 * What signing costs: a lip-synced clip of 10 s in 720p, a picture of 4096x2304, and a video of 1 GB.
 * usage: node --import tsx bench/provenance.ts
 */
import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import sharp from 'sharp';
import { createLog } from '../src/log.ts';
import { openSigner } from '../src/provenance/signer.ts';
import { testConfig } from '../tests/real/config.ts';

const RUNS = 7;
const dir = await mkdtemp(join(tmpdir(), 'provenance-'));
const at = (name: string) => join(dir, name);
const config = testConfig({ DATA_DIR: at('data') });

const clip = (path: string, seconds: number, bitrate: string) =>
  execa(config.ffmpeg.path, [
    ...['-v', 'error', '-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=25:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=duration=${seconds}`, '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-b:v', bitrate, '-pix_fmt', 'yuv420p', '-movflags', '+faststart', path],
  ]);

/** Bytes of which none is like another: an MP4 needs no sense in its media to be hashed. */
const large = async (path: string): Promise<void> => {
  await clip(at('second.mp4'), 1, '2M');
  await execa('/bin/sh', [
    '-c',
    // A box of 1 GB that readers skip: 32 bits of size, then its type.
    `cat "${at('second.mp4')}" > "${path}"; printf '\\100\\000\\000\\010mdat' >> "${path}"; head -c 1073741824 /dev/urandom >> "${path}"`,
  ]);
};

try {
  await clip(at('clip.mp4'), 10, '4M');
  await sharp({
    create: {
      width: 4096,
      height: 2304,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 12 },
    },
  })
    .png({ compressionLevel: 3 })
    .toFile(at('picture.png'));
  await large(at('large.mp4'));
  // What the library writes aside for the large one must not go to the folder for temporary files: it could not.
  const environment = { ...config.ffmpeg.environment, TMPDIR: '/nowhere' };
  const limited = { ...config, ffmpeg: { ...config.ffmpeg, environment } };
  const signer = await openSigner(limited, createLog('silent', 'bench'));
  if (!signer) throw new Error('expected a signer');
  for (const [name, contentType, runs] of [
    ['clip.mp4', 'video/mp4', RUNS],
    ['picture.png', 'image/png', RUNS],
    ['large.mp4', 'video/mp4', 1],
  ] as const) {
    const times: number[] = [];
    let grown = 0;
    const { size } = await stat(at(name));
    for (let run = 0; run < runs; run += 1) {
      const path = at(`run-${name}`);
      await copyFile(at(name), path);
      const startedMs = performance.now();
      await signer.prepare(path, new AbortController().signal).sign({
        contentType,
        input: () => at(name),
        edit: {
          description: 'Signed by a bench.',
          sourceType: 'compositeWithTrainedAlgorithmicMedia',
          ingredients: [{ role: 'media', title: 'input', relationship: 'parentOf' }],
        },
        agent: { name: 'bench', version: '1' },
      });
      times.push(performance.now() - startedMs);
      grown = (await stat(path)).size - size;
    }
    const median = times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
    console.log(
      `${name}: ${(size / 1e6).toFixed(1)} MB, signed in ${median.toFixed(0)} ms (median of ${runs}), ${grown} bytes larger`,
    );
  }
} finally {
  await rm(dir, { recursive: true });
}
