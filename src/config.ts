import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { EnvironmentError } from './environment-error.ts';
import { expected } from './expected.ts';
import { withFiles } from './value-files.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
/** No child of a probe takes more processor time than that. */
const PROBE_SECONDS = 60;
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
const BaseUrl = z.url().transform((url) => url.replace(/\/$/, ''));
/** As a browser sends it: no path, and no port that the scheme has anyway. */
const Origin = z
  .string()
  .refine(
    (text) => text === '*' || (URL.canParse(text) && new URL(text).origin === text),
    'Expected * or an origin such as https://app.example.org',
  );
const HostAndPort = z.string().regex(/^(\[[\da-fA-F:.]+\]|[^\s:/[\]]+):\d+$/, 'Expected host:port');
const json = <T extends z.ZodType>(schema: T, fallback: z.input<T>) =>
  z
    .string()
    .default(JSON.stringify(fallback))
    .transform((value, ctx): unknown => {
      try {
        return JSON.parse(value);
      } catch {
        ctx.addIssue({ code: 'custom', message: 'Expected JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** A text in PEM; labels such as "EC PRIVATE KEY" end with the kind. */
const pem = (kind: string) =>
  z
    .string()
    .regex(new RegExp(`-----BEGIN ([A-Z]+ )*${kind}-----`), `Expected a ${kind} in PEM`)
    .optional();

/** Prices are counted in millionths of a credit: a lower rate would be none. */
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
  .min(1);

/** Every variable that the service reads, with the default that fits the local stack. */
const Environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: port(8080),
  PUBLIC_URL: z.url().optional(),
  CORS_ORIGINS: list.default([]).pipe(z.array(Origin)),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),

  REDIS_URL: z.string().default('redis://127.0.0.1:6390'),
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
  S3_ENDPOINT: z.url().optional(),
  S3_REGION: z.string().default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
  S3_FORCE_PATH_STYLE: z.stringbool().default(false),
  S3_TIMEOUT_SECONDS: int(20),
  S3_PART_BYTES: int(16 * MiB, 5 * MiB),
  S3_PRESIGN: z.stringbool().default(false),
  S3_PRESIGN_SECONDS: int(300),
  S3_PUBLIC_ENDPOINT: z.url().optional(),
  KEY_PEPPER: z.string().min(16),
  SIGNING_SECRET: z.string().min(16),
  ADMIN_KEY: z.string().min(16).optional(),
  METRICS_TOKEN: z.string().min(16).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: port(0),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
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
  FETCH_ALLOW_HOSTS: list.default([]),

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
  FFMPEG_PRESET: z.string().default('veryfast'),
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

/** What only `npm start` sets, beside the variables that operators have. */
const Embedded = z.object({
  /** Where the development key lies, which the page of a browser on the same machine may have. */
  DEVELOPMENT_KEY_PATH: z.string().optional(),
});
export const embeddedVariables: readonly string[] = Object.keys(Embedded.shape);

/** Which addresses of Triton do not fit together. */
const refuseUnpaired = (e: z.infer<typeof Environment>, { addIssue }: z.RefinementCtx): void => {
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

const s3Of = (e: z.infer<typeof Environment>) => ({
  bucket: e.S3_BUCKET,
  /** Empty, or ends with a slash. */
  prefix: e.S3_PREFIX.replace(/^\/+|\/+$/g, '').replace(/.$/, '$&/'),
  endpoint: e.S3_ENDPOINT,
  region: e.S3_REGION,
  /** Undefined: as Amazon's tools find them. */
  credentials: credentialsOf(e),
  forcePathStyle: e.S3_FORCE_PATH_STYLE,
  /** Of each attempt of a call, until the server begins to answer. */
  timeoutMs: e.S3_TIMEOUT_SECONDS * 1000,
  partBytes: e.S3_PART_BYTES,
  /** Null: results are downloaded through this service. */
  presign: e.S3_PRESIGN ? { endpoint: e.S3_PUBLIC_ENDPOINT, seconds: e.S3_PRESIGN_SECONDS } : null,
});

const credentialsOf = ({
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
}: z.infer<typeof Environment>) =>
  accessKeyId !== undefined && secretAccessKey !== undefined
    ? { accessKeyId, secretAccessKey }
    : undefined;

const provenanceOf = ({
  PROVENANCE_CERTIFICATE: certificate,
  PROVENANCE_PRIVATE_KEY: key,
  PROVENANCE_PYTHON: python,
  DATA_DIR,
}: z.infer<typeof Environment>) => ({
  /** Null: the certificate for development, which the worker makes in `developmentDir`. */
  identity: certificate !== undefined && key !== undefined ? { certificate, key } : null,
  developmentDir: join(DATA_DIR, 'provenance'),
  python,
  /** Whose credentials a result carries, as the cache distinguishes them. */
  signedBy: certificate === undefined ? 'development' : hashOf(certificate),
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Variables of which one is of no use without the other. */
const pairs = [
  ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['PROVENANCE_CERTIFICATE', 'PROVENANCE_PRIVATE_KEY'],
] as const;

/** What is missing beside other variables. */
const refuseMissing = (e: z.infer<typeof Environment>, { addIssue }: z.RefinementCtx): void => {
  const lacks = (name: string, why: string) =>
    addIssue({ code: 'custom', path: [name], message: `Expected a value, as ${why}` });
  if (e.STORAGE === 's3' && e.S3_BUCKET === '') lacks('S3_BUCKET', 'STORAGE is s3');
  for (const [one, other] of pairs) {
    if (e[one] !== undefined && e[other] === undefined) lacks(other, `${one} is set`);
    if (e[other] !== undefined && e[one] === undefined) lacks(one, `${other} is set`);
  }
};

const Checked = Environment.superRefine(refuseUnpaired).superRefine(refuseMissing);

/** The names of all variables, for `.env.example` and its test. */
export const variables = (operations: readonly Priced[]): readonly string[] => [
  ...Object.keys(Environment.shape),
  ...operations.map(ratesVariable),
];

/**
 * Parses the environment once; NAME_FILE names a file that holds the value of NAME (`value-files.ts`). Throws an
 * EnvironmentError that lists every fault, not the first.
 */
export const loadConfig = (given: NodeJS.ProcessEnv, operations: readonly Priced[]) => {
  const env = withFiles(given, variables(operations));
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Checked.safeParse(set, { error: expected });
  const tables = z
    .object(Object.fromEntries(operations.map((one) => [ratesVariable(one), rateTable(one)])))
    .safeParse(set, { error: expected });
  if (!parsed.success || !tables.success) {
    const issues = [...(parsed.error?.issues ?? []), ...(tables.error?.issues ?? [])];
    const faults = issues.map(({ path, message }) => {
      const isSet = Object.hasOwn(set, path[0] ?? '');
      return `${path.join('.')}: ${message}${isSet ? '' : '; it is not set'}`;
    });
    throw EnvironmentError.of(faults);
  }
  const rates = Object.fromEntries(
    operations.map((one) => [one.kind, tables.data[ratesVariable(one)] ?? {}]),
  );
  const e = parsed.data;
  const servers = e.TRITON_HTTP_URL.map((httpUrl, at) => ({
    httpUrl,
    grpcUrl: e.TRITON_GRPC_URL[at] ?? '',
  }));
  const video = {
    bytes: e.VIDEO_MAX_BYTES,
    longSide: e.VIDEO_MAX_LONG_SIDE,
    shortSide: e.VIDEO_MAX_SHORT_SIDE,
    outputSide: e.VIDEO_MAX_OUTPUT_SIDE,
    seconds: e.VIDEO_MAX_SECONDS,
    frames: e.VIDEO_MAX_FPS * e.VIDEO_MAX_SECONDS,
    /** Of all frames of an output together. */
    outputPixels: e.VIDEO_MAX_OUTPUT_GIGAPIXELS * 1e9,
  };
  const ffmpeg = {
    path: e.FFMPEG,
    probePath: e.FFPROBE,
    preset: e.FFMPEG_PRESET,
    threads: e.FFMPEG_THREADS,
    environment: childEnvironment(env),
    /** Of each decoded picture, whatever the first one was: the largest that may come, with what codecs pad it by. */
    maxPixels: (e.VIDEO_MAX_LONG_SIDE + 64) * (e.VIDEO_MAX_SHORT_SIDE + 64),
    /** What one child may take: bytes of address space, and seconds of all processors together. */
    memoryBytes: e.FFMPEG_MAX_MEMORY_MB * MiB,
    cpuSeconds: e.JOB_DEADLINE_SECONDS * availableParallelism(),
    network: e.FFMPEG_NETWORK,
  };
  return Object.freeze({
    logLevel: e.LOG_LEVEL,
    http: {
      host: e.HOST,
      port: e.PORT,
      publicUrl: (e.PUBLIC_URL ?? `http://${e.HOST}:${e.PORT}`).replace(/\/$/, ''),
      /** Origins of the web pages that may call the API; `*` for all. */
      corsOrigins: e.CORS_ORIGINS,
      waitLimitMs: e.WAIT_LIMIT_SECONDS * 1000,
      drainMs: e.API_DRAIN_SECONDS * 1000,
      createPerMinute: e.RATE_CREATE_PER_MINUTE,
      readPerMinute: e.RATE_READ_PER_MINUTE,
      badKeysPerMinute: e.RATE_BAD_KEYS_PER_MINUTE,
      developmentKeyPath: Embedded.parse(set).DEVELOPMENT_KEY_PATH,
      /** Proxies in front of us whose X-Forwarded-For entries are believed. */
      trustedProxies: e.TRUST_PROXY,
      accountOpenRequests: e.ACCOUNT_OPEN_REQUESTS,
      maxConnections: e.HTTP_MAX_CONNECTIONS,
      headersTimeoutMs: e.HEADERS_TIMEOUT_SECONDS * 1000,
      jsonMaxBytes: e.JSON_MAX_BYTES,
      bodyStallMs: e.BODY_STALL_SECONDS * 1000,
    },
    redis: { url: e.REDIS_URL, prefix: e.REDIS_PREFIX },
    triton: {
      /** Every replica; with `dns` the one entry whose host name stands for all of them. */
      servers,
      /** Of the first one, for what talks to a single server. */
      httpUrl: servers[0]?.httpUrl ?? '',
      grpcUrl: servers[0]?.grpcUrl ?? '',
      discovery: e.TRITON_DISCOVERY,
      grpcDescriptors: e.TRITON_GRPC_DESCRIPTORS,
      transport: e.TRITON_TRANSPORT,
      adminSecret: e.TRITON_ADMIN_SECRET,
      framesInFlight: e.TRITON_FRAMES_IN_FLIGHT,
      requestTimeoutMs: e.TRITON_REQUEST_TIMEOUT_MS,
    },
    models: {
      dir: e.MODELS_DIR ?? join(e.DATA_DIR, 'models'),
      loadWithinMs: e.MODEL_LOAD_SECONDS * 1000,
      /** How long a release is on trial after its promotion, and the one before it stays loaded. */
      keepMs: e.MODEL_KEEP_SECONDS * 1000,
      trial: { errors: e.MODEL_TRIAL_ERRORS, errorPercent: e.MODEL_TRIAL_ERROR_PERCENT },
      /** What a new release must keep to in its check. */
      bounds: {
        warmUpMs: e.MODEL_WARM_UP_SECONDS * 1000,
        memoryBytes: e.MODEL_MEMORY_MB * MiB,
        goldenDb: e.MODEL_GOLDEN_DB,
      },
    },
    files: {
      dir: e.DATA_DIR,
      ttlMs: e.RESULT_TTL_SECONDS * 1000,
      reserveBytes: e.DISK_RESERVE_BYTES,
      accountUploads: { files: e.ACCOUNT_UPLOAD_FILES, bytes: e.ACCOUNT_UPLOAD_BYTES },
      accountIncomingBytes: e.ACCOUNT_INCOMING_BYTES,
      /** Null: uploads, inputs, checkpoints and results are in `dir`. */
      s3: e.STORAGE === 's3' ? s3Of(e) : null,
    },
    secrets: {
      pepper: e.KEY_PEPPER,
      signing: e.SIGNING_SECRET,
      adminKey: e.ADMIN_KEY,
      metricsToken: e.METRICS_TOKEN,
    },
    /** Of a worker, which has no API; port 0: none. */
    metrics: { host: e.METRICS_HOST, port: e.METRICS_PORT },
    tracing: {
      /** Undefined: no tracing. */
      endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
      headers: e.OTEL_EXPORTER_OTLP_HEADERS,
      ratio: e.OTEL_TRACES_SAMPLER_ARG,
    },
    jobs: {
      deadlineMs: e.JOB_DEADLINE_SECONDS * 1000,
      attempts: e.JOB_ATTEMPTS,
      modelWaitMs: e.MODEL_WAIT_SECONDS * 1000,
      concurrency: e.WORKER_CONCURRENCY,
      drainMs: e.WORKER_DRAIN_SECONDS * 1000,
      queueLimit: e.QUEUE_LIMIT,
      accountRunning: e.ACCOUNT_RUNNING_LIMIT,
      accountQueued: e.ACCOUNT_QUEUED_LIMIT,
      accountQueuedBytes: e.ACCOUNT_QUEUED_BYTES,
      accountRecords: e.ACCOUNT_JOB_RECORDS,
    },
    webhooks: {
      /** The longest time until a receiver begins to answer. */
      timeoutMs: e.WEBHOOK_TIMEOUT_SECONDS * 1000,
      /** Before the second attempt, the third, and so on; after the last one a delivery has failed. */
      retriesMs: e.WEBHOOK_RETRY_SECONDS.map((seconds) => seconds * 1000),
      /** An endpoint that has failed for this long is disabled. */
      disableMs: e.WEBHOOK_DISABLE_DAYS * 86_400_000,
      accountDeliveries: e.ACCOUNT_WEBHOOK_DELIVERIES,
    },
    fetch: {
      timeoutMs: e.FETCH_TIMEOUT_SECONDS * 1000,
      connectTimeoutMs: e.FETCH_CONNECT_TIMEOUT_SECONDS * 1000,
      redirects: e.FETCH_REDIRECTS,
      /** `host` or `host:port` entries that may be fetched although their address is private. */
      allowHosts: e.FETCH_ALLOW_HOSTS,
    },
    limits: {
      image: {
        bytes: e.IMAGE_MAX_BYTES,
        pixels: e.IMAGE_MAX_PIXELS,
        outputSide: e.IMAGE_MAX_OUTPUT_SIDE,
      },
      video,
      audio: { bytes: e.AUDIO_MAX_BYTES, seconds: e.LIPSYNC_MAX_SECONDS },
      /** Of the clip whose lips are synchronised; a portrait is no larger. */
      lipsync: {
        ...video,
        seconds: e.LIPSYNC_MAX_SECONDS,
        frames: e.VIDEO_MAX_FPS * e.LIPSYNC_MAX_SECONDS,
      },
    },
    lipsync: { chunkSeconds: e.LIPSYNC_CHUNK_SECONDS },
    upscale: { chunkSeconds: e.UPSCALE_CHUNK_SECONDS },
    ffmpeg,
    /** A look at a file that a caller waits for, before there is a job. */
    probing: {
      ffmpeg: { ...ffmpeg, memoryBytes: e.PROBE_MAX_MEMORY_MB * MiB, cpuSeconds: PROBE_SECONDS },
      atOnce: e.PROBES_AT_ONCE,
      /** Where there are several, jobs leave one for estimates. */
      kept: Math.min(1, e.PROBES_AT_ONCE - 1),
      waiting: e.PROBES_WAITING,
      waitMs: e.PROBE_WAIT_SECONDS * 1000,
    },
    /** Null: results carry no content credentials. */
    provenance: e.PROVENANCE === 'on' ? provenanceOf(e) : null,
    /** `rates`: by operation and model. */
    prices: { rates, tiers: e.DISCOUNT_TIERS },
  });
};

/**
 * The whole environment of a program that reads callers' files: where programs are, and the mark by which what a killed
 * run left behind is found. Fewer arenas of malloc keep the address space close to what is used.
 */
const childEnvironment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  LC_ALL: 'C',
  MALLOC_ARENA_MAX: '2',
  ...(env.PATH !== undefined && { PATH: env.PATH }),
  ...(env.ENHANCE_RUN !== undefined && { ENHANCE_RUN: env.ENHANCE_RUN }),
});

export type Config = ReturnType<typeof loadConfig>;
export type Limits = Config['limits'];
