import type { Config } from '../config.ts';
import type { Provenance } from '../contract/provenance.ts';
import { asFailure } from '../errors.ts';
import { fixedSet, type Releases } from '../models/releases.ts';
import type { Trial } from '../models/trial.ts';
import type { Signer } from '../provenance/signer.ts';
import type { CheckpointPlace } from '../storage/checkpoints.ts';
import type { ModelSet } from '../triton/clients/model.ts';
import { modelUnavailable, toldAs } from '../triton/protocol/faults.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import { openGiveWay } from './give-way.ts';
import {
  type InputKind,
  modelOf,
  type Operation,
  type Options,
  type Outcome,
  operationOf,
} from './operation.ts';
import type { Report } from './progress.ts';
import { alone, type OnFrames, type Share } from './sharing.ts';

/** The part of a job that its result depends on. */
type Work = {
  readonly kind: string;
  readonly options: Options;
  readonly model_version: string;
  /** `photo@r2`; '' where none is recorded. */
  readonly release: string;
  readonly pinned: boolean;
  /** It takes seconds, and long jobs give way to it. */
  readonly quick: boolean;
  readonly input: { readonly kind: InputKind };
  /** What probing found. */
  readonly found: unknown;
};

/** Where one attempt reads and writes. */
type Places = {
  /** The input in this role, such as "media". */
  readonly input: (role: string) => string;
  readonly target: string;
  readonly work: CheckpointPlace;
  /** Has the chunks of a long video done, here and by other workers. */
  readonly share: Share;
};

/** One chunk, and the callback for its progress. */
type Part = { readonly chunk: number; readonly onFrames: OnFrames };

/** `modelVersion` of the models that made it; `release` where that is another one than the job has recorded. */
export type Enhanced = Outcome<Readonly<Record<string, unknown>>> & {
  readonly modelVersion: string;
  readonly release?: string;
  /** The content credentials in the result; null: the operation marks none, or they are off, or the format holds none. */
  readonly provenance?: Provenance | null;
  /** Whose they are or would be, as the cache distinguishes them; absent where none were to be written. */
  readonly signedBy?: string;
};

/** File in, file out: the whole work of one attempt, whatever its operation. */
export type Enhance = {
  run(work: Work, places: Places, report: Report, signal: AbortSignal): Promise<Enhanced>;
  /** One chunk of the work of an attempt that shares it out, on the release that the work is for or that replaces it. */
  help(
    work: Work,
    places: Pick<Places, 'input' | 'work'>,
    part: Part,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * The whole work on the release that it names, to be compared with the `result` that another release made: their likeness in
   * dB (PSNR), null for videos, where only success or failure is recorded.
   */
  mirror(
    work: Work,
    places: Pick<Places, 'input' | 'target' | 'work'>,
    result: string,
    signal: AbortSignal,
  ): Promise<number | null>;
  /** The ending of the result's file. */
  format(work: Work): string;
};

type Parts = {
  readonly operations: readonly Operation[];
  readonly releases: Releases;
  readonly trial: Pick<Trial, 'ended' | 'compared'>;
  readonly transport: Transport;
  readonly config: Config;
  /** Null: no result is signed. */
  readonly signer: Signer | null;
};

export const createEnhance = (parts: Parts): Enhance => {
  const { transport, config } = parts;
  const giveWay = openGiveWay(transport);
  /** What a task of an operation needs, whole or a chunk, besides where it reads and writes. */
  const meansOf = (
    { options, found, input, quick }: Work,
    models: ModelSet,
    signal: AbortSignal,
  ) => ({
    options,
    found,
    inputKind: input.kind,
    models,
    transport: quick ? transport : giveWay.long(models.all),
    config,
    signal,
  });
  const make: Enhance['run'] = async (work, places, report, signal) => {
    const operation = operationOf(parts.operations, work.kind);
    const model = modelOf(operation, work.options);
    const { release, models, outcome } = await onTrial(parts.trial, work, signal, {
      find: () => modelsFor(operation, work, parts.releases),
      run: ({ models }) =>
        toldAs(model, operation.run({ ...meansOf(work, models, signal), ...places, report })),
    });
    const { version: modelVersion } = models;
    return { ...outcome, modelVersion, ...(release !== work.release && { release }) };
  };
  const run: Enhance['run'] = async (work, places, report, signal) => {
    const { signer } = parts;
    const edit = operationOf(parts.operations, work.kind).edit?.(work.options) ?? null;
    const making = () => make(work, places, report, signal);
    const makeInTurn = work.quick ? () => giveWay.quick(making) : making;
    if (signer === null || edit === null) return makeInTurn();
    const signing = signer.prepare(places.target, signal);
    try {
      const made = await makeInTurn();
      const { contentType, modelVersion, release = work.release } = made;
      const name = `${work.kind} ${work.options.model}`;
      const agent = { name, version: release || modelVersion };
      const file = { contentType, edit, input: places.input, agent };
      const { provenance, warnings } = await signing.sign(file);
      const all = [...(made.warnings ?? []), ...warnings];
      return { ...made, provenance, signedBy: signer.signedBy, warnings: all };
    } finally {
      await signing.close();
    }
  };
  return {
    run,
    format: (work) =>
      operationOf(parts.operations, work.kind).format(work.options, work.input.kind),
    mirror: async (work, places, result, signal) => {
      const made = await make(work, { ...places, share: alone }, () => {}, signal);
      // It was unloaded since, and another release did the work.
      if (made.release !== undefined) return null;
      const isImage = made.contentType.startsWith('image/');
      const likeness = isImage ? await likenessOfImages(result, places.target) : null;
      await parts.trial.compared(work.release, likeness);
      return likeness;
    },
    help: async (work, places, part, signal) => {
      const operation = operationOf(parts.operations, work.kind);
      if (!operation.help) throw new Error(`a ${work.kind} is not shared out`);
      const { models } = await modelsFor(operation, work, parts.releases);
      await operation.help({ ...meansOf(work, models, signal), ...places, ...part });
    },
  };
};

/** libvips is loaded where it is needed; the API has no use for it. */
const likenessOfImages = async (one: string, other: string): Promise<number> => {
  const { likenessOf } = await import('../media/image/likeness.ts');
  return likenessOf(one, other);
};

/** The release that the job has recorded; when that is gone, the stable one. */
const modelsFor = async (operation: Operation, work: Work, releases: Releases) => {
  if (operation.release !== undefined) return { release: '', models: fixedSet(operation.release) };
  const model = modelOf(operation, work.options);
  const slots = operation.slots(model)[work.input.kind];
  const recorded =
    work.release === ''
      ? null
      : await toldAs(model, releases.find(work.release, slots, work.pinned));
  if (recorded) return { release: work.release, models: recorded };
  return toldAs(model, releases.stable(model, slots));
};

type Used = { readonly release: string; readonly models: ModelSet };
type Steps<T> = { find(): Promise<Used>; run(used: Used): Promise<T> };

/** Does the work and records how it ended on its release, unless it was stopped or another release did it. */
const onTrial = async <T>(
  trial: Parts['trial'],
  { release, pinned, options }: Work,
  signal: AbortSignal,
  { find, run }: Steps<T>,
): Promise<Used & { readonly outcome: T }> => {
  let used: Used | undefined;
  const isOwn = () => used === undefined || used.release === release;
  try {
    used = await find();
    const outcome = await run(used);
    // It never rejects, and the result does not wait for the count.
    if (isOwn()) void trial.ended(release, null);
    return { ...used, outcome };
  } catch (error) {
    if (signal.aborted || !isOwn()) throw error;
    const isTakenBack = await trial.ended(release, asFailure(error));
    // The job waits for the release before, which costs it no attempt: this may have been its last one.
    throw isTakenBack && !pinned ? modelUnavailable(options.model, error) : error;
  }
};
