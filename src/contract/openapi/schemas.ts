/** zod schemas as JSON Schemas. Those with an id are written once, into `components`, and referred to. */
import { z } from 'zod';
import type { Json } from './description.ts';

type Way = 'input' | 'output';
type Forms = Partial<Record<Way, string>>;

export type Schemas = ReturnType<typeof createSchemas>;

const prefix = '#/components/schemas/';

/**
 * The schema of a field with a default differs: a request may leave it out, an answer always has it. Of what differs,
 * the answer's form is called `<id>Response`. Until all are known, a reference names its form as well.
 */
export const createSchemas = () => {
  const written = new Map<string, Forms>();

  /** Most routes share the schemas of failures and jobs: each is converted once. */
  const texts = {
    input: new Map<z.core.$ZodType, string>(),
    output: new Map<z.core.$ZodType, string>(),
  };
  const write = (schema: z.core.$ZodType, io: Way): Json => {
    const text = texts[io].get(schema) ?? convert(schema, io);
    texts[io].set(schema, text);
    return JSON.parse(text);
  };

  const convert = (schema: z.core.$ZodType, io: Way): string => {
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, { io, override: forGenerators(io) });
    const marked = (value: unknown): string =>
      JSON.stringify(value).replaceAll(/"#\/\$defs\/([^"]+)"/g, `"${prefix}$1~${io}"`);
    for (const [id, json] of Object.entries($defs))
      written.set(id, { ...written.get(id), [io]: marked(json) });
    return marked(rest);
  };

  const named = (text: string, apart: ReadonlySet<string>): string =>
    text.replaceAll(/([\w.-]+)~(input|output)"/g, (_, id: string, io: string) =>
      io === 'output' && apart.has(id) ? `${id}Response"` : `${id}"`,
    );

  /** The ids whose two forms differ, be it in what they refer to. */
  const differing = (apart: ReadonlySet<string> = new Set()): ReadonlySet<string> => {
    const found = [...written].filter(
      ([, { input, output }]) => input && output && named(input, apart) !== named(output, apart),
    );
    return found.length === apart.size ? apart : differing(new Set(found.map(([id]) => id)));
  };

  return {
    write,
    /** The document with the final names, and with `components.schemas`. */
    finish: (document: Json, components: Json): Json => {
      const apart = differing();
      const parse = (text: string): Json => JSON.parse(named(text, apart));
      const schemas: Record<string, Json> = {};
      for (const [id, { input, output }] of written) {
        const both = input && output && apart.has(id);
        schemas[id] = parse(input ?? output ?? '{}');
        if (both) schemas[`${id}Response`] = parse(output);
      }
      return {
        ...parse(JSON.stringify(document)),
        components: { schemas, ...parse(JSON.stringify(components)) },
      };
    },
  };
};

const forGenerators =
  (io: Way) =>
  ({ jsonSchema: json }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    plainTuple(json);
    besideFields(json);
    if (io === 'input') tellDefault(json);
  };

/** Redoc shows the fields of a body that has conditions of its own only where they stand beside these, in `allOf`. */
const besideFields = (json: z.core.JSONSchema.BaseSchema): void => {
  // zod's name of the schema, which it takes out only where it put it.
  const { allOf, id: _, ...fields } = json;
  if (!allOf || !fields.properties) return;
  const choices = allOf.filter(({ oneOf = [] }) => oneOf.length > 1);
  const alone = allOf.flatMap(({ oneOf = [] }) => (oneOf.length === 1 ? oneOf : []));
  const required = [fields, ...alone].flatMap((one) => one.required ?? []);
  const whole = { ...fields, required };
  for (const name of Object.keys(json)) delete json[name];
  Object.assign(json, choices.length > 0 ? { allOf: [whole, ...choices] } : whole);
};

/** Says the default in the description: openapi-typescript takes a field with a `default` for one that must be sent. */
const tellDefault = (json: z.core.JSONSchema.BaseSchema): void => {
  if (json.default === undefined) return;
  const told = `default: ${typeof json.default === 'string' ? json.default : JSON.stringify(json.default)}`;
  json.description = json.description ? `${json.description}; ${told}` : told;
  delete json.default;
};

/** `items: false` after `prefixItems` stops generators; for entries that are all alike, a count says the same. */
const plainTuple = (json: z.core.JSONSchema.BaseSchema): void => {
  const { prefixItems, items } = json;
  if (!prefixItems || items !== false) return;
  const kinds = new Set(prefixItems.map((one) => JSON.stringify(one)));
  const [first] = prefixItems;
  if (kinds.size !== 1 || !first) throw new Error('expected a tuple whose entries are all alike');
  delete json.prefixItems;
  Object.assign(json, { items: first, minItems: prefixItems.length, maxItems: prefixItems.length });
};
