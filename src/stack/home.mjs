/** The paths of the local stack. Everything that set-up installs is under one git-ignored folder. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const home = resolve(root, process.env.ENHANCE_HOME ?? '.enhance');

export const places = Object.freeze({
  venv: join(home, 'venv'),
  python: join(home, 'venv/bin/python'),
  wheels: join(home, 'wheels'),
  weights: join(home, 'weights'),
  triton: join(home, 'triton'),
  /** The wheel's layout is kept, because Triton finds its libraries relative to this folder. */
  tritonServer: join(home, 'triton/pytriton/tritonserver'),
  grpcDescriptors: join(home, 'triton/grpc.descriptors'),
  redisServer: join(home, 'redis/redis-server'),
  ffmpeg: join(home, 'bin/ffmpeg'),
  ffprobe: join(home, 'bin/ffprobe'),
  helm: join(home, 'bin/helm'),
  sample: join(home, 'sample.png'),
  data: join(home, 'data'),
  logs: join(home, 'logs'),
  run: join(home, 'run'),
});
