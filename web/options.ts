/** The options of a request as fields, for the model that is chosen and the kind of the file. */
import type { MediaKind } from '../src/contract/media.ts';
import { allowedValues, type Operation } from './catalogue.ts';
import { make } from './dom.ts';
import type { Field } from './field.ts';
import { fieldFor } from './fields.ts';
import { formFields, resolved, type Schema, takesPoint } from './schema.ts';
import { type PointField, pointField } from './speaker-field.ts';

export type Body = Readonly<Record<string, unknown>>;
type Model = Operation['models'][number];

export const createOptions = (request: Schema) => {
  const [basic, more] = [make('div'), make('div')];
  const pointer = pointerOf(request);
  const fields = new Map<string, Field>();
  let madeFor = '';

  /** Made again when the model or the kind of the file changes what is allowed; what was chosen stays. */
  const makeFor = (model: Model | undefined, kind: MediaKind | undefined): void => {
    const shape = `${model?.id} ${kind}`;
    if (shape === madeFor) return;
    madeFor = shape;
    const before = completeOf(fields);
    fields.clear();
    for (const [name, schema] of formFields(request)) {
      const isRequired = request.required?.includes(name) ?? false;
      const allowed = model && allowedValues(model, name, kind);
      const wanted = { name, schema, root: request, isRequired, allowed };
      fields.set(name, pointer?.name === name ? pointer.field : fieldFor(wanted));
    }
    set(before);
    const elements = (isBasic: boolean) =>
      [...fields]
        .filter(([name]) => (request.required?.includes(name) ?? false) === isBasic)
        .map(([, { element }]) => element);
    basic.replaceChildren(...elements(true));
    more.replaceChildren(...elements(false));
  };

  /** `isWhole`: what `given` does not name gets its default; else it stays. */
  const set = (given: Body, isWhole = false): void => {
    for (const [name, field] of fields)
      if (isWhole || Object.hasOwn(given, name)) field.set(given[name]);
  };

  return {
    basic,
    makeFor,
    set,
    more: make('details', { class: 'more' }, make('summary', {}, 'More options'), more),
    /** Of the face that shall speak, where the operation has one. */
    point: pointer?.field,
    /** Throws an Error with a sentence when a field is not complete. */
    values: (): Body =>
      Object.fromEntries(
        [...fields]
          .map(([name, field]) => [name, field.value()])
          .filter(([, value]) => value !== undefined),
      ),
    /** Those that are complete. */
    complete: (): Body => completeOf(fields),
  };
};

const pointerOf = (
  request: Schema,
): { readonly name: string; readonly field: PointField } | undefined => {
  const [found] = Object.entries(request.properties ?? {}).filter(([, schema]) =>
    takesPoint(resolved(schema, request)),
  );
  return found && { name: found[0], field: pointField(found[0], found[1].description) };
};

const completeOf = (fields: ReadonlyMap<string, Field>): Body =>
  Object.fromEntries(
    [...fields].flatMap(([name, field]) => {
      try {
        const value = field.value();
        return value === undefined ? [] : [[name, value]];
      } catch {
        return []; // what is only half entered
      }
    }),
  );
