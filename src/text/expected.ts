/** What a zod schema expected, as the sentence that callers and operators read. Pure. */
import { z } from 'zod';
import { counted } from './counted.ts';

/**
 * The message of an issue whose schema has none of its own: "Expected a whole number from 1 to 100".
 * Given as `error` to `safeParse`; the code that shows it adds what was sent.
 */
export const expected = (issue: z.core.$ZodRawIssue): string => `Expected ${descriptionOf(issue)}`;

const descriptionOf = (issue: z.core.$ZodRawIssue): string => {
  if (issue.code === 'too_small' && !issue.inclusive) return `a number above ${issue.minimum}`;
  if (issue.schema instanceof z.ZodNumber) return numberIn(issue.schema);
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return oneOf(issue.values.map((value) => JSON.stringify(value)));
    case 'too_small':
      return `at least ${lengthOf(Number(issue.minimum), issue.origin)}`;
    case 'too_big':
      return `at most ${lengthOf(Number(issue.maximum), issue.origin)}`;
    case 'invalid_format':
      return issue.format === 'regex' ? `text that matches ${issue.pattern}` : formatOf(issue);
    case 'invalid_key':
      return `a name of ${(issue.issues[0]?.message ?? 'another form').replace(/^Expected /, '')}`;
    case 'unrecognized_keys':
      return `no field ${oneOf(issue.keys.map((key) => JSON.stringify(key)))}`;
    default:
      return 'one of the forms in the API description';
  }
};

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
};

const numberIn = ({ isInt, minValue, maxValue }: z.ZodNumber): string => {
  const name = isInt ? 'a whole number' : 'a number';
  const [least, most] = [
    minValue ?? Number.NEGATIVE_INFINITY,
    maxValue ?? Number.POSITIVE_INFINITY,
  ];
  // zod gives every whole number the bounds of exact integers.
  const hasLeast = least > Number.MIN_SAFE_INTEGER;
  const hasMost = most < Number.MAX_SAFE_INTEGER;
  if (hasLeast && hasMost) return `${name} from ${least} to ${most}`;
  if (hasLeast) return `${name} of at least ${least}`;
  return hasMost ? `${name} of at most ${most}` : name;
};

const lengthOf = (length: number, origin: string): string =>
  origin === 'string' ? counted(length, 'character') : counted(length, 'entry', 'entries');

const formatOf = ({ format }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string =>
  format === 'url' ? 'a URL' : `text in the format ${format}`;

/** "a", "a or b", "a, b or c". */
export const oneOf = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');
