import { z } from 'zod';
import type { Limits } from '../../config.ts';
import type { Description } from '../../contract/openapi/description.ts';
import { Failure, type Fault, sentenceOf } from '../../errors.ts';
import type { StoredFile } from '../../storage/stored-file.ts';
import type { Context } from '../context.ts';
import type { Parts } from '../parts.ts';
import { readBody } from './body.ts';
import { fromBrackets } from './brackets.ts';
import { canonical } from './canonical.ts';
import type { Incoming } from './incoming.ts';
import { type MakeFault, sourceFaults, token, type Validated, validate } from './validate.ts';

type Fields = Record<string, unknown>;

type Request = Incoming & { readonly ctx: Context };

type Checked = {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: Fields;
  readonly files: Readonly<Record<string, StoredFile>>;
};

/** Reads a request and checks it against the route. Failure validation_failed with all faults at once. */
export const readInput = async (
  route: Description,
  request: Request,
  { config }: Parts,
): Promise<Checked> => {
  const params = paramsOf(route, request);
  const faults = gatherFaults();
  const sentQuery = request.ctx.query;
  const query = accepted(
    validate(route.query ?? noFields, sentQuery, sentQuery, 'query parameter'),
    faults,
  );
  if (!route.body) {
    faults.refuse();
    return { params, query, body: {}, files: {} };
  }
  const sources = route.sources ?? [];
  const parts = sources.flat();
  const received = await readBody(request.ctx, {
    parts,
    json: takesJson(sources, route.body),
    folder: request.folder,
    admit: request.admit,
    maxFileBytes: maxBytesOf(sources, config.limits),
    maxTextBytes: config.http.jsonMaxBytes,
    stallMs: config.http.bodyStallMs,
  });
  const { isText } = received;
  const misplaced = isText ? [] : parts.filter((name) => Object.hasOwn(received.fields, name));
  const sent = isText ? fromBrackets(received.fields) : withoutParts(received.fields, misplaced);
  for (const fault of sent.faults) faults.add(() => fault);
  const { publicUrl } = config.http;
  const fields = route.sources
    ? canonical(sent.fields, route.body, { isText, publicUrl })
    : sent.fields;
  const body = accepted(validate(route.body, fields, sent.fields), faults);
  // One that came twice, or in JSON, is not missing as well.
  const files = [...Object.keys(received.files), ...received.strayFiles, ...misplaced];
  const names = { fields: Object.keys(fields), files };
  // Before the file that is missing: it is mostly this one, under another name.
  for (const name of received.strayFiles) faults.add(() => strayFault(name, parts));
  for (const fault of sourceFaults(sources, route.body, names)) faults.add(() => fault);
  faults.refuse();
  return { params, query, body, files: received.files };
};

/** The fields of a JSON body without those that have the names of file parts, each of which is a fault. */
const withoutParts = (fields: Fields, misplaced: readonly string[]) => ({
  fields: Object.fromEntries(Object.entries(fields).filter(([name]) => !misplaced.includes(name))),
  faults: misplaced.map(
    (name): Fault => ({
      pointer: `/${name}`,
      code: 'unknown_field',
      detail: `Expected ${name} as a file part of multipart/form-data, or ${name}_url in JSON; got ${name} in JSON.`,
      allowed: [`${name}_url`],
    }),
  ),
});

/** The content decides whether a file is an image or a video; before it is there the larger of the two limits applies. */
const maxBytesOf = (sources: readonly (readonly string[])[], limits: Limits): number => {
  const { image, video, audio } = limits;
  const largest = Math.max(image.bytes, video.bytes);
  return sources
    .map((group) => (group.every((name) => name === 'audio') ? audio.bytes : largest))
    .reduce((sum, bytes) => sum + bytes, 0);
};

/** A body that takes files only, with no `_url` field for them, has to be multipart. */
const takesJson = (sources: readonly (readonly string[])[], body: z.ZodObject): boolean =>
  sources.every((group) => group.some((name) => Object.hasOwn(body.shape, `${name}_url`)));

const paramsOf = ({ params }: Description, { ctx }: Request): Fields => {
  if (!params) return {};
  const parsed = params.safeParse(ctx.params);
  // A path parameter that breaks its schema can name no resource.
  if (!parsed.success) throw new Failure('not_found', { what: 'such resource' });
  return parsed.data;
};

/** For a route without query parameters: each one sent is a fault. */
const noFields = z.strictObject({});

/** The fields that are right; none where there are faults, which are gathered. */
const accepted = (checked: Validated<Fields>, faults: Faults): Fields => {
  if ('data' in checked) return checked.data;
  for (const make of checked.faults) faults.add(make);
  return {};
};

const strayFault = (name: string, allowed: readonly string[]): Fault => ({
  pointer: `/${token(name)}`,
  code: allowed.includes(name) ? 'conflict' : 'unknown_field',
  detail: allowed.includes(name)
    ? 'Expected this file part once; got it several times.'
    : `Expected no file part of this name; the file parts are ${allowed.join(', ')}.`,
  allowed,
});

/** Faults in one answer. A body can have hundreds of thousands. */
const maxReported = 100;

type Faults = ReturnType<typeof gatherFaults>;

const gatherFaults = () => {
  const reported: Fault[] = [];
  let count = 0;
  return {
    add: (make: MakeFault): void => {
      count += 1;
      if (reported.length < maxReported) reported.push(make());
    },
    /** Throws validation_failed when there are any. */
    refuse: (): void => {
      if (count === 0) return;
      const detail = sentenceOf(reported, count);
      throw new Failure('validation_failed', { detail }, { faults: reported });
    },
  };
};
