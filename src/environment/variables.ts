/** The variables of the environment: their names, defaults and checks. `config.ts` groups their values by part. */
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { expected } from '../text/expected.ts';
import { jsonText } from '../text/json-text.ts';
import { EnvironmentError } from './environment-error.ts';
import { hostInUrl } from './host-in-url.ts';
import { withFiles } from './value-files.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
const int = (fallback: number, least = 1) => z.coerce.number().int().min(least).default(fallback);
const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean),
);
/** `name=value,name=value` with percent-encoded values, as OpenTelemetry writes headers. */
const headerList = list.default([]).transform((entries, ctx) => {
  try {
    const pairs = entries.map((entry) => /^\s*([^=\s]+)\s*=(.*)$/.exec(entry) ?? []);
    if (pairs.some(([, name]) => name === undefined)) throw new Error('a header has no value');
    const found = pairs.map(([, name = '', value = '']) => [
      name,
      decodeURIComponent(value.trim()),
    ]);
    return z.record(z.string(), z.string()).parse(Object.fromEntries(found));
  } catch {
    ctx.addIssue({
      code: 'custom',
      message: 'Expected name=value,name=value with percent-encoded values',
    });
    return z.NEVER;
  }
});
/** `localhost:8080` alone is a valid URL too: its scheme would be `localhost:`. */
const HttpUrl = z.url({
  protocol: /^https?$/,
  error: 'Expected an http or https URL such as http://localhost:8080',
});
const BaseUrl = HttpUrl.transform((url) => url.replace(/\/$/, ''));
/** ioredis takes a path, or a host and port without a scheme, too. Of another scheme it would make a path. */
const RedisUrl = z
  .string()
  .regex(
    /^(rediss?:\/\/|(?!.*:\/\/))/,
    'Expected a redis or rediss URL such as redis://localhost:6390',
  );
/** As a browser sends it: no path, and no port that the scheme has anyway. */
const Origin = z
  .string()
  .refine(
    (text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text),
    'Expected * or an origin such as https://app.example.org',
  );
const HostAndPort = z.string().regex(/^(\[[\da-fA-F:.]+\]|[^\s:/[\]]+):\d+$/, 'Expected host:port');
/** As the host of a URL is written: in lower case, and an IPv6 address in brackets. */
const AllowedHost = z
  .string()
  .toLowerCase()
  .regex(/^(\[[\da-f:.]+\]|[^\s:/[\]*]+)(:\d+)?$/, 'Expected host or host:port, without http://');
const json = <T extends z.ZodType>(schema: T, fallback: z.input<T>) =>
  jsonText(schema).prefault(JSON.stringify(fallback));

const x264Presets = [
  ...['ultrafast', 'superfast', 'veryfast', 'faster', 'fast', 'medium', 'slow', 'slower'],
  ...['veryslow', 'placebo'],
] as const;

/** A text in PEM; labels such as "EC PRIVATE KEY" end with the kind. */
const pem = (kind: string) =>
  z
    .string()
    .regex(new RegExp(`-----BEGIN ([A-Z]+ )*${kind}-----`), `Expected a ${kind} in PEM`)
    .optional();

/** Prices are counted in millionths of a credit: a lower rate would become 0. */
const Rate = z.number().min(1e-6).max(1e6);
/** What the configuration has to know of an operation: what its models cost unless it says otherwise. */
export type Priced = {
  readonly kind: string;
  readonly models: Readonly<Record<string, { readonly rate: number }>>;
};

/** UPSCALE_RATES and the like: credits for each unit, for every model of the operation. */
const ratesVariable = ({ kind }: Priced): string => `${kind.toUpperCase()}_RATES`;
const rateTable = ({ models }: Priced) => {
  const rates = Object.entries(models).map(([model, { rate }]) => [model, rate] as const);
  const shape = Object.fromEntries(rates.map(([model]) => [model, Rate]));
  return json(z.strictObject(shape), Object.fromEntries(rates));
};

/** Graduated monthly discount: the first `credits` of a UTC month at `percent` off, then the next row; the last has no bound. */
const Tiers = z
  .array(
    z.strictObject({
      credits: z.number().int().positive().nullable(),
      percent: z.number().min(0).max(100),
    }),
  )
  .min(1)
  .refine(
    (rows) => rows.slice(0, -1).every(({ credits }) => credits !== null),
    'Expected credits: null in the last row only',
  );

/** Every variable that operators set, with the default that fits the local stack; those of the rates are added by operation. */
const Environment = z.object({
  HOST: z
    .string()
    .refine(
      (host) => !host.includes('/') && URL.canParse(`http://${hostInUrl(host)}:80`),
      'Expected an address or a host name, such as 0.0.0.0',
    )
    .default('127.0.0.1'),
  PORT: port(8080),
  PUBLIC_URL: HttpUrl.optional(),
  CORS_ORIGINS: list.default([]).pipe(z.array(Origin)),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),

  REDIS_URL: RedisUrl.default('redis://127.0.0.1:6390'),
  REDIS_PREFIX: z.string().default('enhance'),

  TRITON_HTTP_URL: list.default(['http://127.0.0.1:8700']).pipe(z.array(BaseUrl).min(1)),
  TRITON_GRPC_URL: list.default(['127.0.0.1:8701']).pipe(z.array(HostAndPort).min(1)),
  TRITON_DISCOVERY: z.enum(['static', 'dns']).default('static'),
  TRITON_GRPC_DESCRIPTORS: z.string().default('.enhance/triton/grpc.descriptors'),
  TRITON_TRANSPORT: z.enum(['http', 'grpc', 'shared-memory']).default('http'),
  TRITON_ADMIN_SECRET: z
    .string()
    .regex(/^[\w-]{16,}$/, 'Expected at least 16 letters, digits, - or _')
    .optional(),
  TRITON_FRAMES_IN_FLIGHT: int(2),
  TRITON_REQUEST_TIMEOUT_MS: int(1_800_000),

  MODELS_DIR: z.string().optional(),
  MODEL_LOAD_SECONDS: int(180),
  MODEL_KEEP_SECONDS: int(900),
  MODEL_TRIAL_ERRORS: int(3),
  MODEL_TRIAL_ERROR_PERCENT: z.coerce.number().positive().max(100).default(20),
  MODEL_WARM_UP_SECONDS: int(120),
  MODEL_MEMORY_MB: int(4096),
  MODEL_GOLDEN_DB: int(28),

  DATA_DIR: z.string().default('.enhance/data'),
  RESULT_TTL_SECONDS: int(86_400),
  DISK_RESERVE_BYTES: int(GiB, 0),
  STORAGE: z.enum(['disk', 's3']).default('disk'),
  S3_BUCKET: z.string().default(''),
  S3_PREFIX: z.string().default(''),
  S3_ENDPOINT: HttpUrl.optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: z.stringbool().default(false),
  S3_TIMEOUT_SECONDS: int(20),
  S3_PART_BYTES: int(16 * MiB, 5 * MiB),
  S3_PRESIGN: z.stringbool().default(false),
  S3_PRESIGN_SECONDS: int(300),
  S3_PUBLIC_ENDPOINT: HttpUrl.optional(),
  KEY_PEPPER: z.string().min(16),
  SIGNING_SECRET: z.string().min(16),
  ADMIN_KEY: z.string().min(16).optional(),
  METRICS_TOKEN: z.string().min(16).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(0),
  OTEL_EXPORTER_OTLP_ENDPOINT: HttpUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList,
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),

  WAIT_LIMIT_SECONDS: int(900),
  JOB_DEADLINE_SECONDS: int(6 * 3600),
  JOB_ATTEMPTS: int(3),
  MODEL_WAIT_SECONDS: int(300),
  WORKER_CONCURRENCY: int(2),
  WORKER_DRAIN_SECONDS: int(20, 0),
  API_DRAIN_SECONDS: int(10, 0),
  QUEUE_LIMIT: int(10_000),
  ACCOUNT_RUNNING_LIMIT: int(4),
  ACCOUNT_QUEUED_LIMIT: int(100),
  ACCOUNT_QUEUED_BYTES: int(10 * GiB),
  ACCOUNT_JOB_RECORDS: int(20_000),
  ACCOUNT_UPLOAD_FILES: int(200),
  ACCOUNT_UPLOAD_BYTES: int(5 * GiB),
  ACCOUNT_INCOMING_BYTES: int(2 * GiB),
  ACCOUNT_OPEN_REQUESTS: int(1000),
  LIPSYNC_CHUNK_SECONDS: z.coerce.number().positive().default(10),
  UPSCALE_CHUNK_SECONDS: z.coerce.number().positive().default(10),
  RATE_CREATE_PER_MINUTE: int(120),
  RATE_READ_PER_MINUTE: int(1200),
  RATE_BAD_KEYS_PER_MINUTE: int(60),
  TRUST_PROXY: int(0, 0),
  HTTP_MAX_CONNECTIONS: int(4096),
  HEADERS_TIMEOUT_SECONDS: int(20),
  JSON_MAX_BYTES: int(MiB),
  BODY_STALL_SECONDS: int(60),

  WEBHOOK_TIMEOUT_SECONDS: int(15),
  WEBHOOK_RETRY_SECONDS: list
    .default(['5', '300', '1800', '7200', '18000', '36000', '50400', '72000', '86400'])
    // Six days: a delivery's record is kept for seven after an attempt.
    .pipe(z.array(z.coerce.number<string>().positive().max(518_400))),
  WEBHOOK_DISABLE_DAYS: z.coerce.number().positive().default(5),
  ACCOUNT_WEBHOOK_DELIVERIES: int(10_000),

  FETCH_TIMEOUT_SECONDS: int(120),
  FETCH_CONNECT_TIMEOUT_SECONDS: int(10),
  FETCH_REDIRECTS: int(3, 0),
  FETCH_ALLOW_HOSTS: list.default([]).pipe(z.array(AllowedHost)),

  IMAGE_MAX_BYTES: int(50 * MiB),
  IMAGE_MAX_PIXELS: int(64_000_000),
  IMAGE_MAX_OUTPUT_SIDE: int(16_384),
  VIDEO_MAX_BYTES: int(500 * MiB),
  VIDEO_MAX_LONG_SIDE: int(4096),
  VIDEO_MAX_SHORT_SIDE: int(2304),
  VIDEO_MAX_OUTPUT_SIDE: int(8192),
  VIDEO_MAX_SECONDS: int(600),
  VIDEO_MAX_FPS: int(60),
  VIDEO_MAX_OUTPUT_GIGAPIXELS: int(680),
  AUDIO_MAX_BYTES: int(50 * MiB),
  LIPSYNC_MAX_SECONDS: int(300),

  FFMPEG: z.string().default('ffmpeg'),
  FFPROBE: z.string().default('ffprobe'),
  FFMPEG_PRESET: z.enum(x264Presets).default('veryfast'),
  // x264 is what upscaling of video waits for: 720p takes 2.4 times as long with 2 threads as with 8.
  FFMPEG_THREADS: int(Math.min(8, Math.max(2, availableParallelism()))),
  FFMPEG_MAX_MEMORY_MB: int(8192, 256),
  FFMPEG_NETWORK: z.enum(['blocked', 'open']).default('blocked'),
  PROBE_MAX_MEMORY_MB: int(1536, 256),
  PROBES_AT_ONCE: int(availableParallelism()),
  PROBES_WAITING: int(200, 0),
  PROBE_WAIT_SECONDS: int(30),

  PROVENANCE: z.enum(['on', 'off']).default('on'),
  PROVENANCE_CERTIFICATE: pem('CERTIFICATE'),
  PROVENANCE_PRIVATE_KEY: pem('PRIVATE KEY'),
  PROVENANCE_PYTHON: z.string().default('python3'),

  DISCOUNT_TIERS: json(Tiers, [
    { credits: 1_000, percent: 0 },
    { credits: 10_000, percent: 10 },
    { credits: null, percent: 20 },
  ]),
});

/** The value of each variable, parsed. */
export type Variables = z.infer<typeof Environment>;

/** What only `npm start` sets, beside the variables that operators have. */
const Embedded = z.object({
  /** Where the development key lies, which the page of a browser on the same machine may have. */
  DEVELOPMENT_KEY_PATH: z.string().optional(),
});
export const embeddedVariables: readonly string[] = Object.keys(Embedded.shape);

/** Which addresses of Triton do not fit together. */
const refuseUnpaired = (e: Variables, { addIssue }: z.RefinementCtx): void => {
  const [http, grpc] = [e.TRITON_HTTP_URL.length, e.TRITON_GRPC_URL.length];
  const refuse = (name: string, message: string) =>
    addIssue({ code: 'custom', path: [name], message });
  if (http !== grpc)
    refuse(
      'TRITON_GRPC_URL',
      `Expected one address for each of TRITON_HTTP_URL (${http}); got ${grpc}`,
    );
  if (new Set(e.TRITON_HTTP_URL).size < http)
    refuse('TRITON_HTTP_URL', 'Expected each address once');
  if (e.TRITON_DISCOVERY === 'dns' && http > 1)
    refuse('TRITON_HTTP_URL', `Expected one host name with TRITON_DISCOVERY=dns; got ${http}`);
  if (e.TRITON_TRANSPORT === 'shared-memory' && (http > 1 || e.TRITON_DISCOVERY === 'dns'))
    refuse(
      'TRITON_TRANSPORT',
      'Expected http or grpc: shared-memory works with one Triton on this host only, not with several or with TRITON_DISCOVERY=dns',
    );
};

/** Variables that need another one. */
const needs = [
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['S3_SECRET_ACCESS_KEY', 'S3_ACCESS_KEY_ID'],
  ['PROVENANCE_CERTIFICATE', 'PROVENANCE_PRIVATE_KEY'],
  ['PROVENANCE_PRIVATE_KEY', 'PROVENANCE_CERTIFICATE'],
] as const;

/** What is missing beside other variables. No check of zod's, which would not run where another variable has a fault. */
const missingIn = (set: NodeJS.ProcessEnv): string[] => {
  const lacks = (name: string, why: string) =>
    `${name}: Expected a value, as ${why}; it is not set`;
  const bucket = set.STORAGE === 's3' && !set.S3_BUCKET;
  return [
    ...(bucket ? [lacks('S3_BUCKET', 'STORAGE is s3')] : []),
    ...needs
      .filter(([one, other]) => set[one] && !set[other])
      .map(([one, other]) => lacks(other, `${one} is set`)),
  ];
};

const Checked = Environment.superRefine(refuseUnpaired);

/** The names of all variables, for `.env.example` and its test. */
export const variables = (operations: readonly Priced[]): readonly string[] => [
  ...Object.keys(Environment.shape),
  ...operations.map(ratesVariable),
];

/**
 * Parses the environment; NAME_FILE names a file that holds the value of NAME (`value-files.ts`). Throws an EnvironmentError that
 * lists every fault, not the first. `env` is as given, with the values of those files; `rates` are by operation and model.
 */
export const readVariables = (given: NodeJS.ProcessEnv, operations: readonly Priced[]) => {
  const env = withFiles(given, variables(operations));
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Checked.safeParse(set, { error: expected });
  const tables = z
    .object(Object.fromEntries(operations.map((one) => [ratesVariable(one), rateTable(one)])))
    .safeParse(set, { error: expected });
  const missing = missingIn(set);
  if (!parsed.success || !tables.success || missing.length > 0) {
    const issues = [...(parsed.error?.issues ?? []), ...(tables.error?.issues ?? [])];
    const faults = issues.map(({ path, message }) => {
      const isSet = Object.hasOwn(set, path[0] ?? '');
      return `${path.join('.')}: ${message}${isSet ? '' : '; it is not set'}`;
    });
    throw EnvironmentError.of([...faults, ...missing]);
  }
  const rates = Object.fromEntries(
    operations.map((one) => [one.kind, tables.data[ratesVariable(one)] ?? {}]),
  );
  return { env, values: parsed.data, embedded: Embedded.parse(set), rates };
};
