/**
 * What an operation is, as a type: all that the service has to know of it, in one value. A new one is a folder beside
 * `upscale` and `lip-sync`, and a line in `all.ts`; the routes, the document, the catalogue, prices, records, the cache
 * and the worker follow from the value. See decision 19.
 */
import type { Command } from 'commander';
import type { z } from 'zod';
import type { ListPrice } from '../accounts/list-price.ts';
import type { Use } from '../cli/run-jobs.ts';
import type { Config, Limits } from '../config.ts';
import type { OperationExample } from '../contract/examples.ts';
import type { JobInput, Warning } from '../contract/job.ts';
import type { MediaKind } from '../contract/media.ts';
import type { FailureCode } from '../errors.ts';
import type { Size } from '../frame.ts';
import type { MediaInfo } from '../media/info.ts';
import type { Probes } from '../media/probe/prober.ts';
import type { Edit } from '../provenance/edit.ts';
import type { CheckpointPlace } from '../storage/checkpoints.ts';
import type { StoredFile } from '../storage/stored-file.ts';
import type { Admit } from '../storage/write-all.ts';
import type { ModelSet, Slot } from '../triton/clients/model.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import type { Report } from './progress.ts';
import type { OnFrames, Share } from './sharing.ts';

/** What a picture or clip is; a lip-sync portrait is an image. */
export type InputKind = JobInput['kind'];

/** A model as callers choose it. */
type OfferedModel = {
  readonly description: string;
  /** What a request names to get it, where that is not its own id: another model, which `variant` turns into this one. */
  readonly model?: string;
  /** Credits for each unit that the operation counts in, unless the configuration says otherwise. */
  readonly rate: number;
  /**
   * The release of the models in the repository: "r1", later "s2", "s3" …, raised whenever the `release` of one of them changes.
   * Not "r2", which an operator may have added: neither a name nor what results are cached under may stand for two.
   * None for models that are computed without Triton.
   */
  readonly release?: string;
};

/** A checked request: its fields, and the file parts that came with it. */
export type Request<Body> = {
  readonly body: Body;
  readonly files: Readonly<Record<string, StoredFile>>;
};

/** What the service lends an operation while a caller waits for the look at its request. */
export type Intake = {
  readonly config: Config;
  /**
   * The one source of this group (such as ["image", "video"]) that came, as a file that the request owns: a part of the
   * body, an earlier upload, or fetched from its `_url`. Failure file_too_large, url_fetch_failed and the like.
   */
  take(group: readonly string[], mostBytes: number): Promise<Source>;
  /** What the picture or clip is; remembered for a while, so that a caller who asks for the price first does not wait twice. */
  probeMedia(media: Source, kind: InputKind, limits: Limits['video']): Promise<MediaInfo>;
  /** Runs a probe when it is the caller's turn, in a process for this; the signal ends when the service shuts down. */
  look<T>(work: (probes: Probes, signal: AbortSignal) => Promise<T>): Promise<T>;
  /** A path in the request's own folder, for a file that is made of its sources. */
  place(name: string): Promise<string>;
  /** To be called with a number of bytes before they are written there. Failure storage_full | concurrency_limited. */
  readonly admit: Admit;
};

/** A source that came with a request. Of an upload everything is known without its file, which the cache does not need. */
export type Source = Omit<StoredFile, 'path'> & {
  /** The field or part that it came in. */
  readonly field: string;
  /** The file's path, which the request owns. Failure upload_not_found when an upload's file is gone. */
  file(): Promise<string>;
  /** What `identify` found when it was uploaded. */
  readonly type?: { readonly kind: MediaKind; readonly mime: string };
};

/** A file of a job under its role, such as "media" or "audio". */
export type JobFiles = Readonly<Record<string, Source & { readonly mime: string }>> & {
  /** The picture or clip itself. */
  readonly media: Source & { readonly mime: string };
};

/** A request whose sources are here and known by their content, but not probed yet: enough to ask the cache. */
export type Identified<Options> = {
  readonly options: Options;
  readonly inputKind: InputKind;
  readonly files: JobFiles;
};

/** What the look at the media adds: everything that the job and its price need. */
export type Prepared<Input, Found> = {
  /** As the job shows it. */
  readonly input: Input;
  /** What probing found; it travels with the job, so that the worker probes nothing again. */
  readonly found: Found;
  readonly price: ListPrice;
  readonly outputSize: Size;
  /** Length of a video. */
  readonly durationSeconds?: number;
  /** Warnings of the estimate; those of the job come from `tell`. */
  readonly warnings: readonly Warning[];
  /** Paths of files made on the way, by role, which the job gets too. */
  readonly made?: Readonly<Record<string, string>>;
};

/** One attempt of a job. */
export type Task<Options, Found> = {
  readonly options: Options;
  readonly inputKind: InputKind;
  readonly found: Found;
  /** The path of the input in a role, such as "media". */
  readonly input: (role: string) => string;
  /** Where the result is to be written. */
  readonly target: string;
  /** Where to keep what the job's next attempt need not do again. */
  readonly work: CheckpointPlace;
  /** The loaded models that the job runs on, and the way to them. */
  readonly models: ModelSet;
  readonly transport: Transport;
  readonly config: Config;
  readonly report: Report;
  /** Has the chunks of a long video done, here and by other workers. */
  readonly share: Share;
  readonly signal: AbortSignal;
};

/** One chunk of a job whose attempt another worker has. */
export type Help<Options, Found> = Omit<Task<Options, Found>, 'target' | 'report' | 'share'> & {
  readonly chunk: number;
  readonly onFrames: OnFrames;
};

/** What is known of a result besides its bytes. */
export type Outcome<Details> = {
  readonly outputSize: Size;
  readonly contentType: string;
  /** The operation's own fields of the result, by their names in the contract. */
  readonly details: Details;
  readonly warnings?: readonly Warning[];
};

/** What every operation's options have: the caller's model. */
export type Options = Readonly<Record<string, unknown>> & { readonly model: string };

type Fields = Readonly<Record<string, unknown>>;

type Spec<Body extends z.ZodObject, O, I, F, D> = {
  /** In paths (`/v1/<kind>`), records, prices and logs. */
  readonly kind: string;
  /** Name of its schemas in the OpenAPI document, such as "Upscale". */
  readonly title: string;
  /** What people read in the place of the title, such as "Lip sync". */
  readonly heading?: string;
  /** What the operation does, for the OpenAPI document. */
  readonly summary: string;
  /** By id; ids are unique over all operations. Besides what a request names, those that `variant` chooses. */
  readonly models: Readonly<Record<string, OfferedModel>>;

  /** The JSON body. */
  readonly request: Body;
  /** Groups of sources of which exactly one must come, as a file part or as `<name>_url`. */
  readonly sources: readonly (readonly string[])[];
  /** Why a request may be refused, besides what every operation's may be. */
  readonly refusals: readonly FailureCode[];
  /** What its jobs may fail with, besides what every job may. */
  readonly failures: readonly FailureCode[];

  /** What a job's record holds; all but `found` is shown to the caller too. */
  readonly options: z.ZodType<O>;
  readonly input: z.ZodObject & z.ZodType<I>;
  readonly found: z.ZodType<F>;
  readonly details: z.ZodObject & z.ZodType<D>;
  /** The options as a job shows them, where they are not shown as they are. */
  readonly shownOptions: z.ZodObject;
  showOptions?(options: O): Fields;
  readonly result: z.ZodObject;
  /** The result's fields that follow from the request. */
  tell?(job: { readonly options: O; readonly input: I }): {
    readonly fields?: Fields;
    readonly warnings?: readonly Warning[];
  };
  /** How results of these options are marked as what a model made (decision 31); null: not at all. Absent: none is. */
  edit?(options: O): Edit | null;
  /** The part of a download's file name that names model and options, such as "photo-4x". */
  label(options: O): string;
  /** The ending of the result's file. */
  format(options: O, inputKind: InputKind): string;

  /** Takes the sources and settles what their kind decides. Refuses what needs no look inside. */
  identify(request: Request<z.output<Body>>, intake: Intake): Promise<Identified<O>>;
  /** What the work depends on besides the media itself, its kind and the release: equal for equal work. */
  identity(identified: Identified<O>): readonly unknown[];
  /** Probes, and refuses whatever can be refused, before a job exists and credits are held. */
  prepare(identified: Identified<O>, intake: Intake): Promise<Prepared<I, F>>;
  /** File in, file out: the whole work of one attempt. */
  run(task: Task<O, F>): Promise<Outcome<D>>;
  /** Does one chunk of what another worker's `run` shares out. Absent: its `run` shares nothing. */
  help?(task: Help<O, F>): Promise<void>;

  /** The kind of input whose jobs take seconds as a rule, and may run beside long jobs (decision 271). Absent: none does. */
  readonly quickInput?: InputKind;
  /** Which of `models` does the work, and the option that chose it, as "effort realtime": the one that the caller named unless given. */
  variant?(options: O): { readonly model: string; readonly by: string };
  /** The models in Triton that an image and a video go through, in the order of the release; none: it takes no such input. */
  slots(model: string): Readonly<Record<InputKind, readonly Slot[]>>;
  /** The release of models that are computed without Triton, and have no slots. */
  readonly release?: string;
  /** What computes a model: library, precision, device. */
  engine(
    model: string,
    models: ModelSet,
    transport: Transport,
    signal: AbortSignal,
  ): Promise<string> | string;
  /** An entry of `GET /v1/models`, closed, and what it says about one model besides the fields of every entry. */
  readonly modelEntry: z.ZodObject;
  describe(
    model: string,
    config: Config,
    releases: Readonly<Record<InputKind, string | null>>,
  ): Fields;
  /** An example for the OpenAPI document. */
  readonly example?: OperationExample;
  /** Adds its command to the `enhance` program, once to make jobs and once to tell prices. */
  command?(program: Command, use: Use): void;
};

/**
 * An operation as the rest of the service handles it: its options and findings are opaque there. Its functions are
 * declared as methods, whose parameters TypeScript compares in both directions: that is what lets a value with types of
 * its own stand here. Records are parsed by the operation's own schemas before its functions see them.
 */
export type Operation = Spec<z.ZodObject, Options, JobInput, unknown, Fields>;

/** Checks a value against its own types and hands it on as any operation. */
export const operation = <
  Body extends z.ZodObject,
  O extends Options,
  I extends JobInput,
  F,
  D extends Fields,
>(
  spec: Spec<Body, O, I, F, D>,
): Operation => spec;

/** The models that a request may name. */
export const namedModels = ({ models }: Pick<Operation, 'models'>): string[] =>
  Object.keys(models).filter((id) => models[id]?.model === undefined);

/**
 * The release as a request names it, by the `model` that it has: `photo@s3` for `photo_realtime@s3`, which the request's other
 * options chose. null for '', of models without releases.
 */
export const releaseForRequest = (release: string, model: string): string | null =>
  release.replace(/^[^@]+/, model) || null;

/** Which of the operation's models does the work. */
export const modelOf = ({ variant }: Pick<Operation, 'variant'>, options: Options): string =>
  variant?.(options).model ?? options.model;

/** The operation of this kind. Throws an Error when there is none. */
export const operationOf = (operations: readonly Operation[], kind: string): Operation => {
  const found = operations.find((one) => one.kind === kind);
  if (!found) throw new Error(`expected the kind of an operation; got "${kind}"`);
  return found;
};
