/** From zod's issues to the faults that callers read. Pure. */
import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import { shorten } from './shorten.ts';

/** Makes a fault when it is to be told; of hundreds of thousands only the first are. */
export type MakeFault = () => Fault;

/** Every fault of a parsed value; `at` is the pointer to the value itself. */
export function* faultsOf(error: z.ZodError, at = ''): Generator<MakeFault> {
  for (const issue of error.issues) {
    const meant = issue.code === 'invalid_union' ? meantOf(issue.errors) : undefined;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) yield () => unknownField(pointerTo([...issue.path, key], at));
    } else if (meant) {
      yield* faultsOf(new z.ZodError(meant), pointerTo(issue.path, at));
    } else {
      yield () => faultOf(issue, pointerTo(issue.path, at));
    }
  }
}

const faultOf = (issue: z.core.$ZodIssue, pointer: string): Fault => {
  const allowed = issue.code === 'invalid_value' ? issue.values.filter(isPlain) : undefined;
  const came = issue.input === undefined ? '' : `; ${shown(issue.input)} came`;
  return {
    pointer,
    code: issue.input === undefined ? 'required' : codes[issue.code],
    detail: `${issue.message}${came}.`,
    ...(allowed && { allowed }),
  };
};

const unknownField = (pointer: string): Fault => ({
  pointer,
  code: 'unknown_field',
  detail: 'This field is not known here.',
});

/** The issues of the one alternative that knows all the fields that came. */
const meantOf = (alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined => {
  const [meant, another] = alternatives.filter((issues) =>
    issues.every(({ code }) => code !== 'unrecognized_keys'),
  );
  return another ? undefined : meant;
};

const codes: Readonly<Record<z.core.$ZodIssue['code'], string>> = {
  invalid_type: 'invalid_type',
  invalid_value: 'not_allowed',
  too_small: 'out_of_range',
  too_big: 'out_of_range',
  not_multiple_of: 'out_of_range',
  invalid_format: 'invalid_format',
  unrecognized_keys: 'unknown_field',
  invalid_union: 'invalid_type',
  invalid_key: 'invalid_type',
  invalid_element: 'invalid_type',
  custom: 'invalid',
};

const pointerTo = (path: readonly PropertyKey[], at: string): string =>
  [at, ...path.map(token)].join('/');

/** One step of a JSON pointer (RFC 6901); a long name is told in short. */
export const token = (key: PropertyKey): string =>
  shorten(String(key)).replaceAll('~', '~0').replaceAll('/', '~1');

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** A list or an object may be as large and as deep as a body; it is named only. */
const shown = (value: unknown): string => {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(typeof value === 'string' ? shorten(value, 80) : value) ?? String(value);
};

/**
 * The text parts of a multipart body as the JSON values that the schema expects:
 * a text that its field takes as it is stays, another is read as JSON where it is JSON.
 */
export const fromText = (
  fields: Readonly<Record<string, unknown>>,
  schema: z.ZodObject,
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
      const isText = typeof value === 'string' && field !== undefined;
      return [name, isText && !z.safeParse(field, value).success ? asJson(value) : value];
    }),
  );

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** Of each group of sources exactly one must come, as a file part or as a `_url` field. */
export const sourceFaults = (
  sources: readonly (readonly string[])[],
  schema: z.ZodObject,
  came: { readonly fields: readonly string[]; readonly files: readonly string[] },
): Fault[] =>
  sources.flatMap((group): Fault[] => {
    const urls = group
      .map((name) => `${name}_url`)
      .filter((name) => Object.hasOwn(schema.shape, name));
    const given = [
      ...urls.filter((name) => came.fields.includes(name)),
      ...group.filter((name) => came.files.includes(name)),
    ];
    if (given.length === 1) return [];
    const allowed = [...urls, ...group];
    const wanted = `Expected exactly one of ${allowed.join(', ')}`;
    return given.length === 0
      ? [{ pointer: '', code: 'required', detail: `${wanted}; none came.`, allowed }]
      : given.map((name) => ({
          pointer: `/${name}`,
          code: 'conflict',
          detail: `${wanted}; ${given.join(' and ')} came.`,
          allowed,
        }));
  });
