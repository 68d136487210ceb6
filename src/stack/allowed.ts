/** The environment variables that each process of the stack gets. All others, such as npm's or a cloud's keys, are not passed on. */

import { embeddedVariables, variables } from '../environment/variables.ts';
import { operations } from '../operations/all.ts';

/** Variables that every process gets: paths, locale, time zone, and the mark of `orphans.ts`. */
const common = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'ENHANCE_RUN'];

/** Settings of Node, and certificates for networks with their own certificate authority. */
const node = [
  ...['NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'UV_THREADPOOL_SIZE'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** Settings of Python, the networks and the GPUs. The keeper does not pass the secret on to Triton's or the models' environment. */
const triton = [
  ...[
    'TRITON_ADMIN_SECRET',
    'KEEPER_PATIENCE',
    'ENHANCE_THREADS',
    'ENHANCE_ENGINE',
    'ENHANCE_WEIGHTS',
    'ENHANCE_INFERENCE',
  ],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'],
  ...['OPENBLAS_NUM_THREADS', 'PYTHONNOUSERSITE', 'LD_LIBRARY_PATH'],
  ...['CUDA_VISIBLE_DEVICES', 'NVIDIA_VISIBLE_DEVICES', 'NVIDIA_DRIVER_CAPABILITIES'],
];

const allowed = {
  Redis: common,
  Triton: [...common, ...triton],
  /** API, worker and the `enhance` command. */
  service: [
    ...[...common, ...node, ...embeddedVariables],
    ...variables(operations).flatMap((name) => [name, `${name}_FILE`]),
  ],
} as const;

/** The variables of `env` that this kind of process gets. */
export const environmentFor = (
  process: keyof typeof allowed,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv =>
  Object.fromEntries(
    allowed[process].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
