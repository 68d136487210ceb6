import { z } from 'zod';
import type { Limits } from '../../config.ts';
import type { Description } from '../../contract/openapi.ts';
import { Failure, type Fault } from '../../errors.ts';
import type { Parts } from '../parts.ts';
import type { Http } from '../route.ts';
import { type IncomingFile, readBody } from './body.ts';
import { faultsOf, fromText, type MakeFault, sourceFaults, token } from './validate.ts';

type Fields = Record<string, unknown>;

type Checked = {
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
  const faults = gatherFaults();
  const query = check(route.query ?? nothing, http.ctx.query, faults);
  if (!route.body) {
    faults.refuse();
    return { params, query, body: {}, files: {} };
  }
  const sources = route.sources ?? [];
  const came = await readBody(http.ctx, {
    parts: sources.flat(),
    json: takesJson(sources, route.body),
    folder: http.folder,
    admit: http.admit,
    maxFileBytes: mostBytes(sources, config.limits),
    maxTextBytes: config.http.jsonMaxBytes,
    stallMs: config.http.bodyStallMs,
  });
  const fields = came.isText ? fromText(came.fields, route.body) : came.fields;
  const body = check(route.body, fields, faults);
  const names = { fields: Object.keys(fields), files: Object.keys(came.files) };
  for (const fault of sourceFaults(sources, route.body, names)) faults.add(() => fault);
  for (const name of came.strayFiles) faults.add(() => strayFault(name, sources.flat()));
  faults.refuse();
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
  sources.every((group) => group.some((name) => Object.hasOwn(body.shape, `${name}_url`)));

const paramsOf = ({ params }: Description, { ctx }: Http): Fields => {
  if (!params) return {};
  const parsed = params.safeParse(ctx.params);
  // An id that cannot be one names nothing.
  if (!parsed.success) throw new Failure('not_found', { what: 'such resource' });
  return parsed.data;
};

/** Of a route that takes no query: whatever comes in one is unknown. */
const nothing = z.strictObject({});

const check = (schema: z.ZodObject, value: unknown, faults: Faults): Fields => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const make of faultsOf(parsed.error)) faults.add(make);
  return {};
};

const strayFault = (name: string, allowed: readonly string[]): Fault => ({
  pointer: `/${token(name)}`,
  code: allowed.includes(name) ? 'conflict' : 'unknown_field',
  detail: allowed.includes(name)
    ? 'This file part came more than once.'
    : 'This is no file part of the request.',
  allowed,
});

/** So many faults are told; more would help nobody, and a body can have hundreds of thousands. */
const mostTold = 100;

type Faults = ReturnType<typeof gatherFaults>;

const gatherFaults = () => {
  const told: Fault[] = [];
  let count = 0;
  return {
    add: (make: MakeFault): void => {
      count += 1;
      if (told.length < mostTold) told.push(make());
    },
    /** Throws validation_failed when there are any. */
    refuse: (): void => {
      if (count === 0) return;
      const many = count === 1 ? 'a fault' : `${count} faults`;
      const which = count > mostTold ? `the first ${mostTold} are in errors` : 'see errors';
      const detail = `The request has ${many}; ${which}.`;
      throw new Failure('validation_failed', { detail }, { faults: told });
    },
  };
};
