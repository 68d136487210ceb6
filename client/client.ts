/** The service as an object: see README.md. */
import type {
  Balance,
  Estimate,
  Job,
  JobList,
  LedgerPage,
  LipsyncJob,
  LipsyncRequest,
  Model,
  ModelList,
  Upload,
  UploadPage,
  UpscaleJob,
  UpscaleRequest,
} from './contract.ts';
import { follow } from './follow.ts';
import { ask, type HttpOptions, type HttpRequest, openHttp, repeated } from './http.ts';
import { randomKey } from './random.ts';

/** What each operation takes, as fields and files, and its jobs. */
export type Operations = {
  readonly upscale: {
    readonly request: With<'image' | 'video', UpscaleRequest>;
    readonly job: UpscaleJob;
  };
  readonly lipsync: {
    readonly request: With<'video' | 'image' | 'audio', LipsyncRequest>;
    readonly job: LipsyncJob;
  };
};
/** A body whose media may come as files in the place of addresses. */
type With<Names extends string, Body> = Omit<Body, `${Names}_url`> & {
  readonly [name in Names]?: Blob;
} & { readonly [name in `${Names}_url`]?: string };
export type Kind = keyof Operations;
export type RequestOf<K extends Kind> = Operations[K]['request'];
export type ResultOf<J extends Job> = NonNullable<J['result']>;

export type StartOptions = {
  /** Makes a repetition safe, for 24 hours; a random one unless given. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal | undefined;
};
export type RunOptions = StartOptions & {
  /** Called with the job as it stands, again with each change. */
  readonly onUpdate?: (job: Job) => void;
};
/** Options of the requests for the job, which are made when its event stream ends: `retries` may be Infinity. */
export type WatchOptions = Pick<HttpRequest, 'signal' | 'retries' | 'onRetry'>;
type JobQuery = {
  readonly status?: Job['status'];
  readonly kind?: string;
  readonly limit?: number;
  readonly starting_after?: string;
  /** Only the job of the request that had this key. */
  readonly idempotency_key?: string;
};
type PageQuery = Pick<JobQuery, 'limit' | 'starting_after'>;

export type Client = ReturnType<typeof createClient>;

export const createClient = (options: HttpOptions) => {
  const http = openHttp(options);
  const { fetch = globalThis.fetch } = options;
  const read = async <T>(...asked: Parameters<typeof http>): Promise<T> =>
    JSON.parse(await (await http(...asked)).text());
  const jobPath = (id: string) => `/v1/jobs/${encodeURIComponent(id)}`;

  const jobs = {
    get: (id: string, signal?: AbortSignal) => read<Job>(jobPath(id), { signal }),
    /** Newest first. */
    list: (query: JobQuery = {}) => read<JobList>('/v1/jobs', { query }),
    /** What was paid for is not taken back: a job that has ended stays as it is. */
    cancel: (id: string) =>
      // Under a key, so that a repetition does not count as another caller who leaves a shared job.
      read<Job>(`${jobPath(id)}/cancel`, {
        method: 'POST',
        headers: { 'idempotency-key': randomKey() },
      }),
    /** Erases the media of a job that has ended, now. */
    erase: (id: string) =>
      read<Job>(jobPath(id), { method: 'DELETE', headers: { 'idempotency-key': randomKey() } }),
  };

  /** Makes the job and answers it at once. */
  const start = <K extends Kind>(
    kind: K,
    request: RequestOf<K>,
    { idempotencyKey = randomKey(), signal }: StartOptions = {},
  ) =>
    read<Operations[K]['job']>(`/v1/${kind}`, {
      method: 'POST',
      body: request,
      signal,
      headers: { prefer: 'respond-async', 'idempotency-key': idempotencyKey },
    });

  /** The job as it stands and with each change, to its end; by its events, or by asking where they do not get through. */
  const watch = <J extends Job>(
    job: J,
    options: WatchOptions = {},
  ): AsyncGenerator<J, void, void> =>
    follow(job, { get: () => read<J>(jobPath(job.id), options), fetch, signal: options.signal });

  /** The ended job. */
  const wait = async <J extends Job>(
    job: J,
    { onUpdate, ...options }: WatchOptions & Pick<RunOptions, 'onUpdate'> = {},
  ): Promise<J> => {
    let last = job;
    for await (last of watch(job, options)) onUpdate?.(last);
    return last;
  };

  /** The result of a job that has ended, also of one that had not when it was read. Throws the EnhanceError that it failed with. */
  const result = async <J extends Job>(job: J): Promise<ResultOf<J>> => {
    const { result: made } = job.result ? job : await read<J>(jobPath(job.id));
    if (made) return made;
    // The service says why there is none: failed, cancelled, erased or not finished.
    await (await http(`${jobPath(job.id)}/result`)).body?.cancel();
    throw new Error(`expected a result in the job ${job.id}`);
  };

  /** Makes the job, waits for its end and answers its result. Aborting the signal cancels the job. */
  const run = async <K extends Kind>(
    kind: K,
    request: RequestOf<K>,
    options: RunOptions = {},
  ): Promise<ResultOf<Operations[K]['job']>> => {
    const job = await start(kind, request, options);
    try {
      const { onUpdate = () => {}, signal } = options;
      return await result(await wait(job, { onUpdate, signal }));
    } catch (error) {
      if (options.signal?.aborted) await jobs.cancel(job.id);
      throw error;
    }
  };

  return {
    jobs,
    start,
    watch,
    wait,
    result,
    upscale: (request: RequestOf<'upscale'>, options?: RunOptions) =>
      run('upscale', request, options),
    lipsync: (request: RequestOf<'lipsync'>, options?: RunOptions) =>
      run('lipsync', request, options),
    /** What the same request would cost; makes no job. */
    estimate: <K extends Kind>(kind: K, request: RequestOf<K>, signal?: AbortSignal) =>
      // It changes nothing, so it is as safe to repeat as a GET.
      read<Estimate>(`/v1/${kind}/estimate`, { method: 'POST', body: request, signal, safe: true }),
    /** Stores a file for 24 hours; its `url` can stand in any `_url` field. */
    upload: (file: Blob, signal?: AbortSignal) =>
      read<Upload>('/v1/uploads', { method: 'POST', body: { file }, signal, safe: true }),
    /** What is still kept, newest first. */
    listUploads: (query: PageQuery = {}) => read<UploadPage>('/v1/uploads', { query }),
    /** Deletes an upload before its time. Jobs that were made with it go on. */
    deleteUpload: (id: string) =>
      read<Upload>(`/v1/uploads/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    /** The bytes of a result, whose link needs no key. */
    download: (
      { output_url }: { readonly output_url: string },
      signal?: AbortSignal,
    ): Promise<Response> =>
      repeated(options, { signal }, () =>
        ask(fetch, new URL(output_url), { signal: signal ?? null }),
      ),
    models: async (): Promise<readonly Model[]> => (await read<ModelList>('/v1/models')).data,
    credits: () => read<Balance>('/v1/credits'),
    /** Newest first. */
    ledger: (query: PageQuery = {}) => read<LedgerPage>('/v1/credits/ledger', { query }),
    /** Any other request; answers what the service answered. */
    request: http,
  };
};
