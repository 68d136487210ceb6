/** From zod's issues to the faults that callers read. Pure. */
import { z } from 'zod';
import type { Fault } from '../errors.ts';

/** Every fault of a parsed value; `at` is the pointer to the value itself. */
export const faultsOf = (error: z.ZodError, at = ''): Fault[] =>
  error.issues.flatMap((issue): Fault[] => {
    const pointer = [at, ...issue.path.map(escaped)].join('/');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        pointer: `${pointer}/${escaped(key)}`,
        code: 'unknown_field',
        detail: 'This field is not known here.',
      }));
    }
    const meant = issue.code === 'invalid_union' ? meantOf(issue.errors) : undefined;
    if (meant) return faultsOf(new z.ZodError(meant), pointer);
    const allowed = issue.code === 'invalid_value' ? issue.values.filter(isPlain) : undefined;
    return [
      {
        pointer,
        code: issue.input === undefined ? 'required' : codes[issue.code],
        detail: `${issue.message}${issue.input === undefined ? '' : `; ${shown(issue.input)} came`}.`,
        ...(allowed && { allowed }),
      },
    ];
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

const escaped = (key: PropertyKey): string =>
  String(key).replaceAll('~', '~0').replaceAll('/', '~1');

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
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
      const field = schema.shape[name];
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
    const urls = group.map((name) => `${name}_url`).filter((name) => name in schema.shape);
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
