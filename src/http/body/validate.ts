/** zod's issues as the faults that callers read: where, what was expected, what was sent. Pure. */
import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import { counted } from '../../text/counted.ts';
import { expected } from '../../text/expected.ts';
import { shorten } from '../shorten.ts';
import { asJson, isWrapper } from './canonical.ts';

/** Builds one fault. A body can have hundreds of thousands of them, of which only the first 100 are reported. */
export type MakeFault = () => Fault;

/** The parsed value, or a maker for each of its faults. */
export type Validated<T> = { readonly data: T } | { readonly faults: Iterable<MakeFault> };

/** What the members of an object are called in messages. */
type Member = 'field' | 'query parameter';

/** Checks a value. `sent`: the value as the caller spelled it. */
export const validate = <T extends z.ZodType>(
  schema: T,
  value: unknown,
  sent = value,
  member: Member = 'field',
): Validated<z.output<T>> => {
  const { data, error } = schema.safeParse(value, { error: (issue) => told(issue, member) });
  return error ? { faults: faultsOf(error.issues, { value, sent }, '') } : { data };
};

/** The message of an issue: what was expected, and of unknown members those that are known. */
const told = (issue: z.core.$ZodRawIssue, member: Member): string => {
  if (issue.code !== 'unrecognized_keys') return expected(issue);
  const known =
    issue.schema instanceof z.ZodObject
      ? Object.entries<z.core.$ZodType>(issue.schema.shape).map(
          ([name, field]) => name + membersOf(field),
        )
      : [];
  return [
    `no ${member} of this name`,
    ...(known.length ? [`the ${member}s are ${known.join(', ')}`] : []),
  ].join('; ');
};

/** The fields of a field that is an object: what was sent may belong there. */
const membersOf = (field: z.core.$ZodType): string => {
  if (isWrapper(field)) return membersOf(field.unwrap());
  return field instanceof z.ZodObject ? ` {${Object.keys(field.shape).join(', ')}}` : '';
};

/** A value as it was parsed, and as the caller spelled it. */
type Both = { readonly value: unknown; readonly sent: unknown };

/** The faults of a value; `at` is the JSON pointer to it. */
function* faultsOf(
  issues: readonly z.core.$ZodIssue[],
  both: Both,
  at: string,
): Generator<MakeFault> {
  let mistyped: string | undefined;
  for (const issue of issues) {
    const intended = issue.code === 'invalid_union' ? intendedOf(issue) : undefined;
    const pointer = pointerTo(issue.path, at);
    // zod also measures the length of a text where it expected an array.
    if (isLength(issue) && pointer === mistyped) continue;
    if (issue.code === 'invalid_type') mistyped = pointer;
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys)
        yield () => unknownField(pointerTo([key], pointer), issue.message);
    } else if (intended) {
      yield* faultsOf(intended, bothAt(both, issue.path), pointer);
    } else {
      yield () => faultOf(issue, bothAt(both, issue.path), pointer);
    }
  }
}

/** What was sent at that path, before zod converted it: a query's text and not the NaN that it became. */
const bothAt = ({ value, sent }: Both, path: readonly PropertyKey[]): Both => {
  const [key, ...rest] = path;
  if (key === undefined) return { value, sent };
  const inner = memberOf(value, key);
  // What stands in a text part of JSON is not read twice.
  return bothAt(
    { value: inner, sent: typeof sent === 'string' ? inner : memberOf(sent, key) },
    rest,
  );
};

const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;

const faultOf = (issue: z.core.$ZodIssue, { value, sent }: Both, pointer: string): Fault => {
  const allowed = issue.code === 'invalid_value' ? issue.values.filter(isPlain) : undefined;
  return {
    pointer,
    code: value === undefined ? 'required' : codes[issue.code],
    detail: `${issue.message}; got ${isLength(issue) ? lengthOf(typeof value === 'object' ? value : sent) : shown(isKey(issue) ? issue.path.at(-1) : sent)}${isBrokenJson(issue, sent) ? ', which is not valid JSON' : ''}.`,
    ...(allowed && { allowed }),
  };
};

/** Whether a text part is meant as an object or an array: such a part is read as JSON, so this one could not be. */
const isBrokenJson = ({ code }: z.core.$ZodIssue, sent: unknown): boolean =>
  code === 'invalid_type' &&
  typeof sent === 'string' &&
  /^\s*[[{]/.test(sent) &&
  asJson(sent) === sent;

/** Whether the name of a field is what is wrong, and not its value. */
const isKey = ({ code }: z.core.$ZodIssue): boolean => code === 'invalid_key';

const isLength = (issue: z.core.$ZodIssue): boolean =>
  (issue.code === 'too_small' || issue.code === 'too_big') && issue.origin !== 'number';

/** The length of a string, an array or an object, which is what was wrong with it. */
const lengthOf = (sent: unknown): string => {
  if (typeof sent === 'string' || Array.isArray(sent)) return String(sent.length);
  return typeof sent === 'object' && sent !== null ? String(Object.keys(sent).length) : shown(sent);
};

const unknownField = (pointer: string, message: string): Fault => ({
  pointer,
  code: 'unknown_field',
  detail: `Expected ${message}.`,
});

/**
 * The issues of the only alternative that has all the fields which were sent; undefined when there is not exactly one.
 * Of texts it is the alternative that can list what is allowed; of several, as of words and numbers, all lists in one.
 */
const intendedOf = ({
  errors,
  message,
}: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined => {
  const [listing, ...listings] = errors.flatMap(([issue]) =>
    issue?.code === 'invalid_value' && issue.path.length === 0 ? [issue] : [],
  );
  if (listing && listings.length === 0) return [listing];
  if (listing) {
    const values = [listing, ...listings].flatMap((each) => each.values);
    return [{ ...listing, values, message }];
  }
  const [intended, another] = errors.filter((issues) =>
    issues.every(({ code }) => code !== 'unrecognized_keys'),
  );
  return another ? undefined : intended;
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

/** One step of a JSON pointer (RFC 6901); a name is cut after 100 characters. */
export const token = (key: PropertyKey): string =>
  shorten(String(key)).replaceAll('~', '~0').replaceAll('/', '~1');

const isPlain = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

/** A value in a message. Arrays and objects can be as large as a body, so only their type is shown. */
const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `an array of ${counted(value.length, 'entry', 'entries')}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(typeof value === 'string' ? shorten(value, 80) : value) ?? String(value);
};

/** Of each group of sources exactly one must be sent, as a file part or as a `_url` field. */
export const sourceFaults = (
  sources: readonly (readonly string[])[],
  schema: z.ZodObject,
  sent: { readonly fields: readonly string[]; readonly files: readonly string[] },
): Fault[] =>
  sources.flatMap((group): Fault[] => {
    const urls = group
      .map((name) => `${name}_url`)
      .filter((name) => Object.hasOwn(schema.shape, name));
    const given = [
      ...urls.filter((name) => sent.fields.includes(name)),
      ...group.filter((name) => sent.files.includes(name)),
    ];
    if (given.length === 1) return [];
    const allowed = [...urls, ...group];
    const wanted = `Expected ${allowed.length > 1 ? 'exactly one of ' : 'the file part '}${allowed.join(', ')}`;
    return given.length === 0
      ? [{ pointer: '', code: 'required', detail: `${wanted}; got none.`, allowed }]
      : given.map((name) => ({
          pointer: `/${name}`,
          code: 'conflict',
          detail: `${wanted}; got ${given.join(' and ')}.`,
          allowed,
        }));
  });
