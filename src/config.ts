import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { hostInUrl } from './environment/host-in-url.ts';
import { type Priced, readVariables, type Variables } from './environment/variables.ts';

const MiB = 1024 * 1024;
/** The most processor time that a child of a probe may take. */
const PROBE_SECONDS = 60;

export type Config = ReturnType<typeof loadConfig>;
export type Limits = Config['limits'];

/** The configuration of the service, grouped by part. Throws an EnvironmentError that lists every fault of the environment. */
export const loadConfig = (given: NodeJS.ProcessEnv, operations: readonly Priced[]) => {
  const { env, values: e, embedded, rates } = readVariables(given, operations);
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
    /** Pixels of all frames of an output together. */
    outputPixels: e.VIDEO_MAX_OUTPUT_GIGAPIXELS * 1e9,
  };
  const ffmpeg = {
    path: e.FFMPEG,
    probePath: e.FFPROBE,
    preset: e.FFMPEG_PRESET,
    threads: e.FFMPEG_THREADS,
    environment: childEnvironment(env),
    /** Of any decoded picture, as a later one may be larger than the first: the limits, and 64 for a codec's padding. */
    maxPixels: (e.VIDEO_MAX_LONG_SIDE + 64) * (e.VIDEO_MAX_SHORT_SIDE + 64),
    /** Limits of one child process: bytes of address space, and seconds of processor time, all cores together. */
    memoryBytes: e.FFMPEG_MAX_MEMORY_MB * MiB,
    cpuSeconds: e.JOB_DEADLINE_SECONDS * availableParallelism(),
    network: e.FFMPEG_NETWORK,
  };
  const publicUrl = (e.PUBLIC_URL ?? `http://${hostInUrl(e.HOST)}:${e.PORT}`).replace(/\/$/, '');
  return Object.freeze({
    logLevel: e.LOG_LEVEL,
    http: {
      host: e.HOST,
      port: e.PORT,
      publicUrl,
      /** Where a proxy has put the service on its host, as `/media`; empty for the whole host. */
      publicPath: new URL(publicUrl).pathname.replace(/\/$/, ''),
      /** Origins of the web pages that may call the API; `*` for all. */
      corsOrigins: e.CORS_ORIGINS,
      waitLimitMs: e.WAIT_LIMIT_SECONDS * 1000,
      drainMs: e.API_DRAIN_SECONDS * 1000,
      createPerMinute: e.RATE_CREATE_PER_MINUTE,
      readPerMinute: e.RATE_READ_PER_MINUTE,
      badKeysPerMinute: e.RATE_BAD_KEYS_PER_MINUTE,
      developmentKeyPath: embedded.DEVELOPMENT_KEY_PATH,
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
      /** The first one, for what talks to a single server. */
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
    /** Where a worker, which has no API, serves its metrics; port 0: nowhere. */
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
      /** Limits of the clip whose lips are synchronised; a portrait is no larger. */
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

const s3Of = (e: Variables) => ({
  bucket: e.S3_BUCKET,
  /** Empty, or ends with a slash. */
  prefix: e.S3_PREFIX.replace(/^\/+|\/+$/g, '').replace(/.$/, '$&/'),
  endpoint: e.S3_ENDPOINT,
  region: e.S3_REGION,
  /** Undefined: as Amazon's tools find them. */
  credentials: credentialsOf(e),
  forcePathStyle: e.S3_FORCE_PATH_STYLE,
  /** The longest time until the server begins to answer, for each attempt of a call. */
  timeoutMs: e.S3_TIMEOUT_SECONDS * 1000,
  partBytes: e.S3_PART_BYTES,
  /** Null: results are downloaded through this service. */
  presign: e.S3_PRESIGN ? { endpoint: e.S3_PUBLIC_ENDPOINT, seconds: e.S3_PRESIGN_SECONDS } : null,
});

const credentialsOf = ({
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
}: Variables) =>
  accessKeyId !== undefined && secretAccessKey !== undefined
    ? { accessKeyId, secretAccessKey }
    : undefined;

const provenanceOf = ({
  PROVENANCE_CERTIFICATE: certificate,
  PROVENANCE_PRIVATE_KEY: key,
  PROVENANCE_PYTHON: python,
  DATA_DIR,
}: Variables) => ({
  /** Null: the certificate for development, which the worker makes in `developmentDir`. */
  identity: certificate !== undefined && key !== undefined ? { certificate, key } : null,
  developmentDir: join(DATA_DIR, 'provenance'),
  python,
  /** Whose credentials a result carries, as the cache distinguishes them. */
  signedBy: certificate === undefined ? 'development' : hashOf(certificate),
});

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

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
