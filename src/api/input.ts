import type { z } from 'zod';
import type { Limits } from '../config.ts';
import type { Description } from '../contract/openapi.ts';
import { Failure, type Fault } from '../errors.ts';
import { type IncomingFile, readBody } from './body.ts';
import type { Parts } from './parts.ts';
import type { Http } from './route.ts';
import { faultsOf, fromText, sourceFaults } from './validate.ts';

type Fields = Record<string, unknown>;

export type Checked = {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: Fields;
  readonly files: Readonly<Record<string, IncomingFile>>;
};

/** What a request says, read and checked against the route; all its faults at once. */
export const readInput = async (
  route: Description,
  http: Http,
  { config }: Parts,
): Promise<Checked> => {
  const params = paramsOf(route, http);
  const faults: Fault[] = [];
  const query = check(route.query, http.ctx.query, faults);
  if (!route.body) {
    refuse(faults);
    return { params, query, body: {}, files: {} };
  }
  const sources = route.sources ?? [];
  const came = await readBody(http.ctx, {
    parts: sources.flat(),
    json: takesJson(sources, route.body),
    folder: http.folder,
    admit: http.admit,
    maxFileBytes: mostBytes(sources, config.limits),
  });
  const fields = came.isText ? fromText(came.fields, route.body) : came.fields;
  const body = check(route.body, fields, faults);
  const names = { fields: Object.keys(fields), files: Object.keys(came.files) };
  faults.push(...sourceFaults(sources, route.body, names));
  faults.push(...came.strayFiles.map((name) => strayFault(name, sources.flat())));
  refuse(faults);
  return { params, query, body, files: came.files };
};

/** The content decides the kind, and it is known when the file is there; until then the largest limits hold. */
const mostBytes = (sources: readonly (readonly string[])[], limits: Limits): number => {
  const { image, video, audio } = limits;
  const largest = Math.max(image.bytes, video.bytes);
  return sources
    .map((group) => (group.every((name) => name === 'audio') ? audio.bytes : largest))
    .reduce((sum, bytes) => sum + bytes, 0);
};

/** A body of files alone, with no field that could name them, has to be multipart. */
const takesJson = (sources: readonly (readonly string[])[], body: z.ZodObject): boolean =>
  sources.every((group) => group.some((name) => `${name}_url` in body.shape));

const paramsOf = ({ params }: Description, { ctx }: Http): Fields => {
  if (!params) return {};
  const parsed = params.safeParse(ctx.params);
  // An id that cannot be one names nothing.
  if (!parsed.success) throw new Failure('not_found', { what: 'such resource' });
  return parsed.data;
};

const check = (schema: z.ZodObject | undefined, value: unknown, faults: Fault[]): Fields => {
  if (!schema) return {};
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  faults.push(...faultsOf(parsed.error));
  return {};
};

const strayFault = (name: string, allowed: readonly string[]): Fault => ({
  pointer: `/${name}`,
  code: allowed.includes(name) ? 'conflict' : 'unknown_field',
  detail: allowed.includes(name)
    ? 'This file part came more than once.'
    : 'This is no file part of the request.',
  allowed,
});

const refuse = (faults: readonly Fault[]): void => {
  if (faults.length === 0) return;
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  throw new Failure(
    'validation_failed',
    { detail: `The request has ${count}; see errors.` },
    { faults },
  );
};
