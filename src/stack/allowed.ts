/** What each process of the stack may find in its environment. Everything else stays with who started it: other secrets, npm's variables, keys of a cloud. */
import { variables } from '../config.ts';
import { operations } from '../operations/all.ts';

/** What programs of any kind need: where to find things, how to write, and the mark of `orphans.ts`. */
const common = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'ENHANCE_RUN'];

/** Node as the caller wants it, and how it reaches the world from behind a company's proxy. */
const node = [
  ...['NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'UV_THREADPOOL_SIZE'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** Python, the networks, and which GPUs there are for them. The secret stops at keeper.py: Triton and the models do not get it. */
const triton = [
  ...[
    'TRITON_ADMIN_SECRET',
    'KEEPER_PATIENCE',
    'ENHANCE_THREADS',
    'ENHANCE_ENGINE',
    'ENHANCE_WEIGHTS',
  ],
  ...['OPENBLAS_NUM_THREADS', 'PYTHONNOUSERSITE', 'LD_LIBRARY_PATH'],
  ...['CUDA_VISIBLE_DEVICES', 'NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES'],
];

const allowed = {
  Redis: common,
  Triton: [...common, ...triton],
  /** API, worker and the `enhance` command. */
  service: [...common, ...node, ...variables(operations)],
} as const;

export const environmentFor = (
  process: keyof typeof allowed,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv =>
  Object.fromEntries(
    allowed[process].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
