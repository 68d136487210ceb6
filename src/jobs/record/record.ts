/** What a job is: its record and its states. Pure. */
import { z } from 'zod';
import { PriceLine } from '../../contract/credits.ts';
import { type JobInput, JobProgress, JobStatus, Warning } from '../../contract/job.ts';
import { Provenance } from '../../contract/provenance.ts';
import { type FailureCode, failures } from '../../errors.ts';
import type { Operation, Options } from '../../operations/operation.ts';
import { jsonText } from '../../text/json-text.ts';

/** The allowed moves. Back to `queued`: an attempt is repeated, or its worker was lost or went away. */
export const moves: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['processing', 'failed', 'canceled'],
  processing: ['queued', 'succeeded', 'failed', 'canceled'],
  succeeded: [],
  failed: [],
  canceled: [],
};

export const isOver = (status: JobStatus): boolean => moves[status].length === 0;

/** What a successful attempt leaves, besides the operation's own fields. */
const outcomeShape = {
  /** Name below the results of `storage/files.ts`; the file of a cached job is that of the first one. */
  file: z.string(),
  bytes: z.number(),
  sha256: z.string(),
  content_type: z.string(),
  output_size: z.string(),
  /** What made it: others than the job's `model_version` and `release` where those were gone. */
  model_version: z.string().optional(),
  release: z.string().optional(),
  warnings: z.array(Warning).default([]),
  provenance: Provenance.nullable().optional(),
};
const Outcome = z.looseObject(outcomeShape);
export type JobOutcome = z.infer<typeof Outcome>;

/** A Failure as kept in a record. */
export const JobError = z.object({
  code: z.custom<FailureCode>((code) => typeof code === 'string' && Object.hasOwn(failures, code)),
  facts: z.record(z.string(), z.unknown()),
});
export type JobError = z.infer<typeof JobError>;

const count = z.coerce.number().int();
const flag = z
  .string()
  .default('')
  .transform((text) => text === '1');
const orNull = <T extends z.ZodType>(schema: T) =>
  z.preprocess((text) => (text === '' || text === undefined ? null : text), schema.nullable());
const time = orNull(count);

const shared = {
  id: z.string(),
  account: z.string(),
  kind: z.string(),
  model: z.string(),
  status: JobStatus,
  created_at: count,
  started_at: time,
  finished_at: time,
  /** When the result goes away. */
  expires_at: time,
  request_id: z.string(),
  /** What the request that made it said about itself. */
  metadata: jsonText(z.record(z.string(), z.string())).prefault('{}'),
  /** The span of the request that made it; '' for none. See `scope.ts`. */
  traceparent: z.string().default(''),
  model_version: z.string(),
  /** The release that the job runs on, such as `photo@r2`; '' in a record of an earlier version, and without Triton. */
  release: z.string().default(''),
  /** It was chosen by chance, as the candidate. */
  canary: flag,
  /** The caller asked for this very release. */
  pinned: flag,
  /** The candidate that does the work again to be compared; '' for none. */
  mirror: z.string().default(''),
  fingerprint: z.string(),
  /** What the fingerprint is made of, except the release; see `submit/fingerprint.ts`. */
  identity: z.string().default(''),
  /** It may run beside long jobs (decision 271). */
  quick: flag,
  /** What it would cost, held at submission and charged at the end; see `accounts/ledger.ts`. */
  estimated: count,
  held: count,
  charged: count,
  lines: jsonText(z.array(PriceLine)),
  /** Made from an earlier job's result, at no cost. */
  cached: flag,
  /** Which attempt may write; each start takes a new one. */
  fence: count,
  /** How often the job was put into the queue. */
  dispatch: count,
  /** Starts that count towards the bound. */
  attempts: count,
  /** How often a worker vanished with it. */
  lost: count,
  /** When a model, or room on the disk, was found to be missing: first in this outage, and last. */
  away_since: time,
  away_at: time,
  cancel_requested: flag,
  erased: flag,
  progress: orNull(jsonText(JobProgress)),
  error: orNull(jsonText(JobError)),
};

type Shared = z.infer<z.ZodObject<typeof shared>>;
type Fields = Readonly<Record<string, unknown>>;

/** A record that its operation understands. Times are milliseconds. */
export type ReadableJob = Shared & {
  readonly unreadable: null;
  readonly input: JobInput;
  readonly options: Options;
  /** What probing found; null in a record that was made from another job's result. */
  readonly found: unknown;
  readonly outcome: JobOutcome | null;
};

/** One that another version of the service made: it can be shown, failed and paid back, but not run. */
type UnreadableJob = Shared & {
  /** What is missing or different. */
  readonly unreadable: string;
  readonly input: Fields;
  readonly options: Fields;
  readonly found: null;
  readonly outcome: null;
};

/** The hash that Redis holds. */
export type JobRecord = ReadableJob | UnreadableJob;

export type ReadRecord = (fields: Readonly<Record<string, string>>) => JobRecord | null;

/** Reads records of these operations' jobs; null for a hash without the job's id and account. */
export const recordReader = (operations: readonly Operation[]): ReadRecord => {
  const schemas = new Map(operations.map((one) => [one.kind, recordSchema(one)]));
  return (fields) => {
    const read = schemas.get(fields.kind ?? '')?.safeParse(fields);
    if (!read) return readLoosely(fields, `no operation is called "${fields.kind}"`);
    if (!read.success) return readLoosely(fields, z.prettifyError(read.error));
    // Versions that probed in the worker recorded nothing of what was found.
    const isLost = !fields.found && !isOver(read.data.status);
    if (isLost) return readLoosely(fields, 'what probing found is missing');
    return { ...read.data, unreadable: null };
  };
};

const recordSchema = ({ kind, models, input, options, found, details }: Operation) =>
  z.object({
    ...shared,
    kind: z.literal(kind),
    model: z.enum(Object.keys(models)),
    input: jsonText(input),
    options: jsonText(options),
    found: orNull(jsonText(found)),
    outcome: orNull(jsonText(Outcome.and(z.looseObject(details.shape)))),
  });

const Loose = z.object(shared);

/** The fields that can be read; the others as those of a job that has just begun to wait. */
const readLoosely = (
  fields: Readonly<Record<string, string>>,
  reason: string,
): UnreadableJob | null => {
  if (!fields.id || !fields.account) return null;
  const bad = new Set(Loose.safeParse(fields).error?.issues.map(({ path }) => path[0]));
  const good = Object.entries(fields).filter(([name]) => !bad.has(name));
  return {
    ...Loose.parse({ ...newborn, ...Object.fromEntries(good) }),
    unreadable: reason.replaceAll('\n', ' '),
    input: fieldsIn(fields.input),
    options: fieldsIn(fields.options),
    found: null,
    outcome: null,
  };
};

const newborn = {
  kind: '',
  model: '',
  status: 'queued',
  created_at: '0',
  request_id: '',
  model_version: '',
  fingerprint: '',
  estimated: '0',
  held: '0',
  charged: '0',
  lines: '[]',
  fence: '0',
  dispatch: '0',
  attempts: '0',
  lost: '0',
};

const Anything = jsonText(z.record(z.string(), z.unknown()));
const fieldsIn = (text: string | undefined): Fields => {
  try {
    return Anything.parse(text);
  } catch {
    // Whatever it was, there is nothing in it that could be shown.
    return {};
  }
};
