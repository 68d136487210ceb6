/** The form of one operation, made from what the service tells of it. */
import type { Estimate } from '../src/contract/credits.ts';
import { allowedValues, isVisual, mostBytes, type Operation, urlFieldFor } from './catalogue.ts';
import { make } from './dom.ts';
import { type Field, fieldFor } from './fields.ts';
import { modelChoice } from './model-choice.ts';
import { createPrice } from './price.ts';
import { formFields, resolved, takesPoint } from './schema.ts';
import { type Chosen, createSource } from './source.ts';
import { pointField } from './speaker-field.ts';
import { labelOf } from './words.ts';

export type Body = Readonly<Record<string, unknown>>;
export type OperationForm = ReturnType<typeof operationForm>;

export const operationForm = (
  operation: Operation,
  onPrice: (estimate: Estimate | null) => void,
) => {
  const { request, sources: groups, path, models } = operation;
  const choice = modelChoice(models);
  const price = createPrice(onPrice);
  const pointer = Object.entries(request.properties ?? {}).find(([, schema]) =>
    takesPoint(resolved(schema, request)),
  );
  const point = pointer && pointField(pointer[0], pointer[1].description);
  const fields = new Map<string, Field>();
  let madeFor = '';
  const [basic, more] = [make('div'), make('div')];

  const sources = groups.map((group) =>
    createSource({
      group,
      description: group
        .map((name) => request.properties?.[`${name}_url`]?.description)
        .find(Boolean),
      mostBytes: (kind) => {
        const model = choice.model();
        return model && mostBytes(model, kind);
      },
      onChange: () => {
        makeFields();
        update();
      },
      onPoint:
        point && isVisual(group)
          ? (at) => {
              point.point(at);
              update();
            }
          : undefined,
    }),
  );

  /** Made again when the model or the kind of the file changes what is allowed; what was chosen stays. */
  const makeFields = (): void => {
    const shape = `${choice.model()?.id} ${sources[0]?.chosen()?.kind}`;
    if (shape === madeFor) return;
    madeFor = shape;
    const before = [...fields].map(([name, field]) => [name, completeValue(field)] as const);
    const [model, kind] = [choice.model(), sources[0]?.chosen()?.kind];
    fields.clear();
    for (const [name, schema] of formFields(request)) {
      const isRequired = request.required?.includes(name) ?? false;
      const allowed = model && allowedValues(model, name, kind);
      const wanted = { name, schema, root: request, isRequired, allowed };
      fields.set(name, point && name === pointer?.[0] ? point : fieldFor(wanted));
    }
    for (const [name, value] of before) if (value !== undefined) fields.get(name)?.set(value);
    const all = [...fields].map(([name, { element }]) => ({
      element,
      isBasic: request.required?.includes(name),
    }));
    basic.replaceChildren(...all.filter(({ isBasic }) => isBasic).map(({ element }) => element));
    more.replaceChildren(...all.filter(({ isBasic }) => !isBasic).map(({ element }) => element));
  };

  /** Throws an Error with a sentence when a field is not complete. */
  const options = (): Body => ({
    model: choice.model()?.id,
    ...Object.fromEntries(
      [...fields]
        .map(([name, field]) => [name, field.value()])
        .filter(([, value]) => value !== undefined),
    ),
  });

  const body = (): Body | null => {
    const urls = sources.map(({ group, sent }) => {
      const upload = sent();
      return upload && ([urlFieldFor(operation, group, upload.kind), upload.url] as const);
    });
    return urls.every((url) => url !== null) ? { ...options(), ...Object.fromEntries(urls) } : null;
  };

  const update = (): void => {
    try {
      price.update(path, body(), missing());
    } catch (error) {
      price.update(path, null, error instanceof Error ? error.message : String(error));
    }
  };

  const missing = (): string => {
    const lacking = sources
      .filter(({ chosen }) => !chosen())
      .map(({ group }) => (isVisual(group) ? 'a picture or a video' : 'a recording'));
    return lacking.length > 0
      ? `Add ${lacking.join(' and ')} to see the price.`
      : 'The price comes when the upload is done.';
  };

  makeFields();
  update();
  const element = make(
    'div',
    { class: 'operation' },
    ...sources.map((source) => source.element),
    choice.element,
    basic,
    make('details', { class: 'more' }, make('summary', {}, 'More options'), more),
    price.element,
  );
  choice.element.addEventListener('change', makeFields);
  element.addEventListener('change', update);
  return {
    ...{ operation, element, sources, body, update },
    title: labelOf(operation.title),
    files: (): (Chosen | null)[] => sources.map(({ chosen }) => chosen()),
    /** Puts an earlier request's options and files in. */
    fill: (given: Body, files: readonly (Chosen | undefined)[]): void => {
      choice.set(given.model);
      for (const [at, file] of files.entries()) if (file) sources[at]?.set(file.file, file.name);
      makeFields();
      for (const [name, field] of fields) if (Object.hasOwn(given, name)) field.set(given[name]);
      update();
    },
  };
};

/** Undefined for what is not complete. */
const completeValue = (field: Field): unknown => {
  try {
    return field.value();
  } catch {
    return undefined;
  }
};
