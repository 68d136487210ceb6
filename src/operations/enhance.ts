import type { Config } from '../config.ts';
import { fixedSet, type Releases } from '../models/releases.ts';
import { toldAs } from '../triton/protocol/faults.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import {
  type InputKind,
  type Operation,
  type Options,
  type Outcome,
  operationOf,
} from './operation.ts';
import type { Report } from './progress.ts';
import type { OnFrames, Share } from './sharing.ts';

/** The part of a job that its result depends on. */
export type Work = {
  readonly kind: string;
  readonly options: Options;
  readonly model_version: string;
  readonly input: { readonly kind: InputKind };
  /** What probing found. */
  readonly found: unknown;
};

/** Where one attempt reads and writes. */
export type Places = {
  /** The input in this role, such as "media". */
  readonly input: (role: string) => string;
  readonly target: string;
  readonly work: string;
  /** Has the chunks of a long video done, here and by other workers. */
  readonly share: Share;
};

/** One chunk, and who is told how much of it is done. */
export type Part = { readonly chunk: number; readonly onFrames: OnFrames };

/** `modelVersion`: the release that made it. */
export type Enhanced = Outcome<Readonly<Record<string, unknown>>> & {
  readonly modelVersion: string;
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
  /** The ending of the result's file. */
  format(work: Work): string;
};

type Parts = {
  readonly operations: readonly Operation[];
  readonly releases: Releases;
  readonly transport: Transport;
  readonly config: Config;
};

export const createEnhance = (parts: Parts): Enhance => {
  return {
    format: (work) =>
      operationOf(parts.operations, work.kind).format(work.options, work.input.kind),
    run: async (work, { work: folder, ...places }, report, signal) => {
      const operation = operationOf(parts.operations, work.kind);
      const { config, transport } = parts;
      const models = await modelsFor(operation, work, parts.releases);
      const { options, found } = work;
      const outcome = await operation.run({
        ...{ options, found, inputKind: work.input.kind, ...places, work: folder },
        ...{ models, transport, config, report, signal },
      });
      return { ...outcome, modelVersion: models.version };
    },
    help: async (work, { input, work: folder }, part, signal) => {
      const operation = operationOf(parts.operations, work.kind);
      if (!operation.help) throw new Error(`a ${work.kind} is not shared out`);
      const { config, transport } = parts;
      const models = await modelsFor(operation, work, parts.releases);
      const { options, found } = work;
      await operation.help({
        ...{ options, found, inputKind: work.input.kind, input, work: folder },
        ...{ models, transport, config, ...part, signal },
      });
    },
  };
};

/** The release that the job was submitted for as long as it is loaded; when it is gone, the current one. */
const modelsFor = async (operation: Operation, work: Work, releases: Releases) => {
  if (operation.release !== undefined) return fixedSet(operation.release);
  const { model } = work.options;
  const slots = operation.slots(model)[work.input.kind];
  const found = await toldAs(model, releases.find(work.model_version, slots));
  return found ?? toldAs(model, releases.current(slots));
};
