/** Brings a body in any accepted spelling to the spelling of its schema. What could mean several things is not changed. Pure. */
import { z } from 'zod';
import { keptIds, spellings } from '../../contract/spelling.ts';

type Fields = Readonly<Record<string, unknown>>;
type Schema = z.core.$ZodType;
type Means = {
  /** True for the text parts of a multipart body, where all that is no text is written as JSON. */
  readonly isText: boolean;
  /** The public address of this service: ids of its jobs and uploads become addresses below it. */
  readonly publicUrl: string;
};

/**
 * `null` for a field that cannot be null is left out; so is an empty text part for a field that cannot be empty: forms send
 * one for whatever was not filled in. Text becomes a number, true or false where the field is one, and a list of itself
 * where the field is a list of such texts, also in JSON: a form has a part for each entry, so one alone looks like a text. Names
 * of formats are taken in any case. An id of a job or an upload becomes its address.
 */
export const canonical = (fields: Fields, schema: z.ZodObject, means: Means): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, sent]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      if (!field) return [[name, sent]];
      if (means.isText && sent === '' && !accepts(field, sent)) return [];
      const value = spelled(sent, field, means);
      return value === null && !accepts(field, null) ? [] : [[name, value]];
    }),
  );

const accepts = (schema: Schema, value: unknown): boolean => z.safeParse(schema, value).success;

const spelled = (value: unknown, schema: Schema, means: Means): unknown => {
  if (means.isText && typeof value === 'string' && !accepts(schema, value))
    return spelled(asJson(value), schema, { ...means, isText: false });
  if (isWrapper(schema)) return spelled(value, schema.unwrap(), means);
  if (typeof value === 'string') return fromText(value, schema, means);
  if (Array.isArray(value)) {
    const entry = entriesOf(schema);
    const filledIn = value.filter((one) => !(means.isText && one === ''));
    return entry ? filledIn.map((one, at) => spelled(one, entry(at), means)) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const form = formOf(value, schema);
  return form ? canonical({ ...value }, form, means) : value;
};

/** Whether a schema only says that another one may be left out, or null. */
export const isWrapper = (schema: Schema) =>
  schema instanceof z.ZodOptional ||
  schema instanceof z.ZodDefault ||
  schema instanceof z.ZodPrefault ||
  schema instanceof z.ZodNullable;

/** The text parsed as JSON; the text itself where it is not JSON. */
export const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** The schema of an array's entry by its place; undefined where the schema has no entries. */
const entriesOf = (schema: Schema): ((at: number) => Schema) | undefined => {
  if (schema instanceof z.ZodArray) return () => schema.element;
  if (schema instanceof z.ZodTuple) return (at) => schema.def.items[at] ?? z.unknown();
  return undefined;
};

/** The schema of an object; of several forms the first that has all of its fields. */
const formOf = (value: object, schema: Schema): z.ZodObject | undefined => {
  const forms = schema instanceof z.ZodUnion ? schema.options : [schema];
  return forms
    .filter((form) => form instanceof z.ZodObject)
    .find(({ shape }) => Object.keys(value).every((name) => Object.hasOwn(shape, name)));
};

const fromText = (text: string, schema: Schema, { publicUrl }: Means): unknown => {
  const spelling = spellings.get(schema)?.of;
  if (spelling === 'format') return formatOf(text);
  if (spelling === 'source') return addressOf(text, publicUrl);
  if (schema instanceof z.ZodArray && accepts(schema.element, text)) return [text];
  if (schema instanceof z.ZodBoolean) return booleans[text.toLowerCase()] ?? text;
  return isNumber(schema) && NUMBER.test(text) ? Number(text) : text;
};

const formatOf = (text: string): string => {
  const name = text.toLowerCase();
  return name === 'jpg' ? 'jpeg' : name;
};

const addressOf = (text: string, publicUrl: string): string => {
  if (keptIds.job.test(text)) return `${publicUrl}/v1/jobs/${text}/result`;
  return keptIds.upload.test(text) ? `${publicUrl}/v1/uploads/${text}` : text;
};

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

const isNumber = (schema: Schema): boolean =>
  schema instanceof z.ZodNumber ||
  (schema instanceof z.ZodUnion && schema.options.some(isNumber)) ||
  (schema instanceof z.ZodLiteral && [...schema.values].every((one) => typeof one === 'number'));

/** As JSON writes numbers. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
