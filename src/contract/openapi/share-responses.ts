/** Writes answers that several operations share once. */
import type { Json } from './description.ts';

export type Operation = Json & { readonly operationId: string; readonly responses: Json };
export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

type Use = { readonly text: string; readonly status: string; readonly operationId: string };

/**
 * The paths with references in place of the failures that more than one operation has, and what those lead to. The
 * most frequent answer of a status has the status's name, such as NotFound; any other is NotFoundOf<operation>, after
 * the first operation that has it.
 */
export const shareResponses = (paths: Paths, reasonOf: (status: string) => string) => {
  const names = namesOf(usesIn(paths), reasonOf);
  const responses = [...names].sort(([, one], [, other]) => (one < other ? -1 : 1));
  const shared = (operation: Operation): Operation => ({
    ...operation,
    responses: mapValues(operation.responses, (response) => {
      const name = names.get(JSON.stringify(response));
      return name === undefined ? response : { $ref: `#/components/responses/${name}` };
    }),
  });
  return {
    paths: mapValues(paths, (methods) => mapValues(methods, shared)),
    responses: Object.fromEntries(
      responses.map(([text, name]): [string, Json] => [name, JSON.parse(text)]),
    ),
  };
};

const usesIn = (paths: Paths): Use[] =>
  Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .map(([status, response]) => ({ status, operationId, text: JSON.stringify(response) }))
        .filter(({ text }) => text.includes('"application/problem+json"')),
    ),
  );

/** The name of each answer that is used more than once, by its text. */
const namesOf = (
  uses: readonly Use[],
  reasonOf: (status: string) => string,
): ReadonlyMap<string, string> => {
  const counts = new Map<string, number>();
  for (const { text } of uses) counts.set(text, (counts.get(text) ?? 0) + 1);
  const names = new Map<string, string>();
  for (const { text, status, operationId } of uses) {
    const count = counts.get(text) ?? 0;
    if (count === 1 || names.has(text)) continue;
    const most = Math.max(
      ...uses.filter((use) => use.status === status).map((use) => counts.get(use.text) ?? 0),
    );
    const name = reasonOf(status).replaceAll(/\W/g, '');
    const isPlain = count === most && ![...names.values()].includes(name);
    names.set(text, isPlain ? name : `${name}Of${capital(operationId)}`);
  }
  return names;
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const mapValues = <V, W>(
  record: Readonly<Record<string, V>>,
  change: (value: V) => W,
): Record<string, W> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
