/** What a request contains, as the document describes it. */
import { z } from 'zod';
import type { Description, Json } from './description.ts';
import { headerParameters } from './headers.ts';
import type { Schemas } from './schemas.ts';

export const parametersOf = (route: Description, schemas: Schemas): Json[] => [
  ...inShape(route.params, 'path', schemas),
  ...inShape(route.query, 'query', schemas),
  ...headerParameters(route),
];

const inShape = (schema: z.ZodObject | undefined, place: string, { write }: Schemas): Json[] =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...json } = write(field, 'input');
    return {
      name,
      in: place,
      required: !z.safeParse(field, undefined).success,
      ...(description !== undefined && { description }),
      schema: json,
    };
  });

export const requestBodyOf = (route: Description, body: z.ZodObject, schemas: Schemas): Json => ({
  // Where every field has a default, no body is an empty one.
  required: route.sources !== undefined || !body.safeParse({}).success,
  content: {
    ...(takesJson(route, body) && { 'application/json': jsonContent(route, body, schemas) }),
    ...(route.sources && {
      'multipart/form-data': formContent(route.sources, body, schemas, route.example),
    }),
  },
});

/** A body that takes files only, with no `_url` field for them, has to be multipart. */
const takesJson = ({ sources = [] }: Description, body: z.ZodObject): boolean =>
  sources.every((group) => urlsOf(group, body).length > 0);

const jsonContent = (
  { sources = [], example }: Description,
  body: z.ZodObject,
  schemas: Schemas,
): Json => {
  const groups = sources.map((group) => urlsOf(group, body));
  const fields = z.strictObject(body.shape).meta({ ...body.meta(), ...oneOfEach(groups) });
  return { schema: schemas.write(fields, 'input'), ...(example !== undefined && { example }) };
};

/** The fields of a body and its file parts in one closed object. */
const formContent = (
  sources: readonly (readonly string[])[],
  body: z.ZodObject,
  schemas: Schemas,
  example: Json = {},
): Json => {
  const groups = sources.map((group) => [...group, ...urlsOf(group, body)]);
  const alone = groups.flatMap((group) => (group.length === 1 ? group : []));
  const parts = sources
    .flat()
    .map((name) => [name, alone.includes(name) ? FilePart : FilePart.optional()]);
  const id = body.meta()?.id?.replace(/(Request)?$/, 'Form');
  const form = z.strictObject({ ...body.shape, ...Object.fromEntries(parts) });
  const choices = groups.filter((group) => group.length > 1);
  const bytes = Object.fromEntries(alone.map((name) => [name, 'the bytes of the file']));
  return {
    schema: schemas.write(form.meta({ ...(id && { id }), ...oneOfEach(choices) }), 'input'),
    // Where a source may be a URL, the example of the JSON body shows it.
    ...(alone.length > 0 && { example: { ...example, ...bytes } }),
  };
};

/** `format` is how tools know that it is to be sent as a file. */
const FilePart = z
  .string()
  .meta({ format: 'binary', contentMediaType: 'application/octet-stream' });

const urlsOf = (group: readonly string[], body: z.ZodObject): string[] =>
  group.map((name) => `${name}_url`).filter((name) => Object.hasOwn(body.shape, name));

/** Exactly one name of each group must come. Within `allOf`, where generators of clients take it for no union of types. */
const oneOfEach = (groups: readonly (readonly string[])[]): Json =>
  groups.length === 0
    ? {}
    : {
        allOf: groups.map((group) => ({
          oneOf: group.map((name) => ({ title: name, required: [name] })),
        })),
      };
