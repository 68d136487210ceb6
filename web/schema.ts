/** The part of JSON Schema that the request of an operation uses. Pure. */

export type Schema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly const?: string | number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
};

/** What a reference stands for, with what is said beside it. */
export const resolved = (schema: Schema, root: Schema): Schema => {
  const name = schema.$ref?.replace('#/$defs/', '');
  const target = name === undefined ? undefined : root.$defs?.[name];
  if (!target) return schema;
  const { $ref: _, ...beside } = schema;
  return { ...resolved(target, root), ...beside };
};

/** The only values that there are, if they are listed. */
export const choices = (schema: Schema): readonly (string | number)[] | undefined => {
  const forms = schema.anyOf?.map(choices);
  if (forms) return forms.every((form) => form !== undefined) ? forms.flat() : undefined;
  return schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
};

/** Whether a point in the picture can be given: `{frame, x, y}`. */
export const takesPoint = (schema: Schema): boolean =>
  (schema.anyOf ?? [schema]).some(({ properties = {} }) =>
    ['frame', 'x', 'y'].every((name) => Object.hasOwn(properties, name)),
  );

/** The fields of a request that are neither its media, its model nor for programs. */
export const formFields = (request: Schema): [string, Schema][] =>
  Object.entries(request.properties ?? {})
    .filter(([name]) => name !== 'model' && name !== 'metadata')
    .filter(([name]) => !name.endsWith('_url') && !name.startsWith('webhook'))
    .map(([name, schema]) => [name, resolved(schema, request)]);
