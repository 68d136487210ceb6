/** What `GET /v1/models` tells, as the form needs it. Pure. */
import type { MediaKind } from '../src/contract/media.ts';
import type { Model, ModelList, OperationEntry } from '../src/contract/models.ts';
import type { Schema } from './schema.ts';

export type Operation = {
  readonly kind: string;
  readonly title: string;
  readonly summary: string;
  readonly path: string;
  /** Such as [["image", "video"]]: one file for each group. */
  readonly sources: OperationEntry['sources'];
  readonly request: Schema;
  readonly models: readonly Model[];
  /** Those too that an option chooses, such as `effort`. */
  readonly variants: readonly Model[];
};

export const operationsIn = ({ operations, data }: ModelList): Operation[] =>
  operations.map((entry) => {
    const variants = data.filter((model) => model.operation === entry.kind);
    return { ...entry, variants, models: variants.filter(isNamed) };
  });

/** Others are chosen by an option, such as `effort`. */
const isNamed = (model: Model): boolean => !('model' in model) || model.model === model.id;

type Limits = Readonly<Record<string, { readonly max_bytes?: number } | undefined>>;

const limitsOf = (model: Model, kind: MediaKind): { max_bytes?: number } => {
  const limits: Limits = Object(model.limits);
  return limits[kind] ?? (kind === 'image' ? limits.portrait : undefined) ?? {};
};

/** The largest file of this kind; undefined where the model tells none. */
export const mostBytes = (model: Model, kind: MediaKind): number | undefined =>
  limitsOf(model, kind).max_bytes;

/** The lists of the model's options, such as `scales`, and `image_formats` for an image. */
export const allowedValues = (
  model: Model,
  field: string,
  kind: MediaKind | undefined,
): readonly (string | number)[] | undefined => {
  const options: Readonly<Record<string, unknown>> = Object(model.options);
  const names = field === 'output_format' ? [`${kind}_formats`, 'output_formats'] : [`${field}s`];
  const list = names.map((name) => options[name]).find((value) => Array.isArray(value));
  return Array.isArray(list) ? list : undefined;
};

/**
 * "0.5 credits per megapixel, and per second of a video", from `credits_per_megapixel: 0.5`; "… (realtime: 0.05)" where an
 * effort has a rate of its own.
 */
export const rateText = (model: Model, variants: readonly Model[]): string => {
  const [name, rate] = rateOf(model);
  if (name === '') return '';
  const words = name.replaceAll('_', ' ');
  const others = variants.flatMap((one) =>
    'effort' in one && one.model === model.id && one.id !== model.id
      ? `${one.effort}: ${rateOf(one)[1]}`
      : [],
  );
  const length = name.endsWith('_per_megapixel') ? ', and per second of a video' : '';
  const also = others.length > 0 ? ` (${others.join(', ')})` : '';
  return `${rate} ${rate === 1 ? words.replace('credits', 'credit') : words}${length}${also}`;
};

const rateOf = ({ price }: Model): readonly [name: string, rate: unknown] =>
  Object.entries<unknown>(Object(price)).find(([key]) => key.startsWith('credits_per_')) ?? ['', 0];

/** The name of the group under which a file of this kind is sent as a part. */
export const partFor = (group: readonly string[], kind: MediaKind): string =>
  group.find((name) => name === kind) ?? group[0] ?? kind;

/** The field that takes its URL: a portrait may be a part `image` where its URL has to be `video_url`. */
export const urlFieldFor = (
  { request }: Operation,
  group: readonly string[],
  kind: MediaKind,
): string => {
  const names = [partFor(group, kind), ...group].map((name) => `${name}_url`);
  return names.find((name) => Object.hasOwn(request.properties ?? {}, name)) ?? names[0] ?? '';
};

/** Whether pictures and videos belong in this group, or sounds. A clip may always be a picture: the content decides. */
export const isVisual = (group: readonly string[]): boolean =>
  group.some((name) => name === 'image' || name === 'video');
