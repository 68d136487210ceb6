/** Field names with brackets, as forms send objects: `output[quality]` is the field `quality` of `output`. Pure. */
import type { Fault } from '../../errors.ts';
import { token } from './validate.ts';

type Fields = Readonly<Record<string, unknown>>;
type Tree = Map<string, { readonly value: unknown } | Tree>;

const BRACKETED = /^([^[\]]+)((?:\[[^[\]]+\])+)$/;

/** The fields with those in brackets put together. A fault for each that came whole as well: the two may differ. */
export const fromBrackets = (
  fields: Fields,
): { readonly fields: Fields; readonly faults: readonly Fault[] } => {
  const tree: Tree = new Map();
  const faults = Object.entries(fields).flatMap(([name, value]) => put(tree, pathOf(name), value));
  return { fields: objectOf(tree), faults };
};

const pathOf = (name: string): string[] => {
  const [, first, rest] = BRACKETED.exec(name) ?? [];
  return first && rest ? [first, ...rest.slice(1, -1).split('][')] : [name];
};

const put = (tree: Tree, path: readonly string[], value: unknown, depth = 0): Fault[] => {
  const name = path[depth] ?? '';
  const found = tree.get(name);
  const isLast = depth === path.length - 1;
  if (found && (isLast || !(found instanceof Map))) return [conflict(path.slice(0, depth + 1))];
  if (isLast) {
    tree.set(name, { value });
    return [];
  }
  const branch: Tree = found ?? new Map();
  tree.set(name, branch);
  return put(branch, path, value, depth + 1);
};

const conflict = (path: readonly string[]): Fault => ({
  pointer: `/${path.map(token).join('/')}`,
  code: 'conflict',
  detail: 'Expected this field either whole or by its parts in brackets; got both.',
});

const objectOf = (tree: Tree): Fields =>
  Object.fromEntries(
    [...tree].map(([name, found]) => [name, found instanceof Map ? objectOf(found) : found.value]),
  );
