import { z } from 'zod';

export const JsonSchema = z.record(z.string(), z.unknown());

export const VideoSides = z.strictObject({ max_long_side: z.int(), max_short_side: z.int() });

export const ModelVersion = z.string().nullable();

/** A release of a model that is loaded, or is being loaded. */
const ModelRelease = z
  .strictObject({
    release: z.string().describe('such as photo@r2'),
    alias: z
      .enum(['stable', 'candidate'])
      .nullable()
      .describe('stable: new jobs get it; candidate: `percent` % of new jobs get it'),
    percent: z.number(),
    ready: z.boolean(),
    version: ModelVersion,
  })
  .meta({ id: 'ModelRelease' });

/** What every operation says about a model; each adds its options, limits and price. */
export const modelShape = {
  id: z.string(),
  operation: z.string(),
  description: z.string(),
  ready: z.boolean(),
  version: ModelVersion.describe('model_version of the stable release; null while not known'),
  releases: z
    .array(ModelRelease)
    .describe(
      'those that a request may name, as "model": "photo@r2"; empty for a model without releases',
    ),
  engine: z.string().nullable().describe('the inference engine; null while not known'),
};

/** Any operation's model, as a client of all of them reads it. */
export const Model = z.looseObject(modelShape);
export type Model = z.infer<typeof Model>;

/** What a form for an operation needs to know. */
const OperationEntry = z
  .strictObject({
    kind: z.string(),
    title: z.string(),
    summary: z.string(),
    path: z.string().describe('POST here to run it'),
    sources: z
      .array(z.array(z.string()))
      .describe(
        'groups of names such as ["image", "video"], of each of which one must come: in the field `<name>_url`, or as the file part `<name>`',
      ),
    request: JsonSchema.describe('JSON Schema of the request'),
  })
  .meta({ id: 'OperationEntry' });
export type OperationEntry = z.infer<typeof OperationEntry>;

const list = { object: z.literal('list'), operations: z.array(OperationEntry) };
export const ModelList = z.strictObject({ ...list, data: z.array(Model) });
export type ModelList = z.infer<typeof ModelList>;

/** What the contract has to know of an operation to tell what its models are. */
type ModelForms = {
  readonly kind: string;
  /** Closed; with the fields of `modelShape`, `operation` being the literal kind. */
  readonly modelEntry: z.ZodObject;
};

/** The schemas of models, closed: exactly what these operations' models tell. */
export const modelSchemas = (operations: readonly ModelForms[]) => {
  const [first, ...others] = operations.map(({ modelEntry }) => modelEntry);
  if (!first) throw new Error('expected at least one operation');
  const anyModel = z.discriminatedUnion('operation', [first, ...others]).meta({ id: 'Model' });
  return z.strictObject({ ...list, data: z.array(anyModel) }).meta({ id: 'ModelList' });
};

/** The longest sides of a video in either orientation, in pixels. */
export const videoSides = ({ longSide, shortSide }: { longSide: number; shortSide: number }) => ({
  max_long_side: longSide,
  max_short_side: shortSide,
});

/** The JSON Schema of a field as a caller writes it: what has a default may be left out. */
export const requestSchema = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
};
