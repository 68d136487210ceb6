/** The form of one operation, made from what the service tells of it. */
import type { Estimate } from '../client/contract.ts';
import type { EnhanceError } from '../client/errors.ts';
import { isVisual, mostBytes, type Operation, urlFieldFor } from './catalogue.ts';
import type { Chosen } from './chosen.ts';
import { make } from './dom.ts';
import { modelChoice } from './model-choice.ts';
import { type Body, createOptions } from './options.ts';
import { createPrice } from './price.ts';
import { createSource, type Source } from './source.ts';
import { ANOTHER_FILE, messageOf } from './words.ts';

export type OperationForm = ReturnType<typeof operationForm>;

type Wanted = {
  /** Null while the price is not known. */
  readonly onPrice: (estimate: Estimate | null) => void;
  /** Called with each change of what was entered: the price is that of another request then, until `update` has asked for it. */
  readonly onChange: () => void;
};

export const operationForm = (operation: Operation, { onPrice, onChange }: Wanted) => {
  const { request, path } = operation;
  const choice = modelChoice(operation);
  const options = createOptions(request);
  const price = createPrice({
    onPrice: (estimate) => {
      // The rate of the clip tells which frame was clicked; the request is then another one.
      if (estimate && options.point?.rate(rateOf(estimate))) change();
      else onPrice(estimate);
    },
    refuse: (error) => {
      const source = sourceOf(error, sources);
      source?.refuse(error);
      return source !== undefined;
    },
  });
  const sources = operation.sources.map((group) =>
    createSource({
      group,
      description: group
        .map((name) => request.properties?.[`${name}_url`]?.description)
        .find(Boolean),
      mostBytes: (kind) => {
        const model = choice.model();
        return model && mostBytes(model, kind);
      },
      onChange: () => change(),
      onSample: () => {
        // "Try the sample" also brings the voice that a lip sync needs; the button of the voice brings the voice alone.
        if (isVisual(group)) for (const source of sources) if (!source.chosen()) source.useSample();
      },
      onPoint: isVisual(group)
        ? options.point &&
          ((point) => {
            options.point?.point(point);
            if (point) change();
          })
        : undefined,
    }),
  );

  const body = (): Body | null => {
    const urls = urlsOf(operation, sources);
    return urls && { model: choice.model()?.id, ...options.values(), ...urls };
  };
  const update = (): void => {
    for (const source of sources) source.refuse(null);
    try {
      price.update(path, body(), missingText(sources));
    } catch (error) {
      price.update(path, null, messageOf(error));
    }
  };
  const change = (): void => {
    options.makeFor(choice.model(), sources[0]?.chosen()?.kind);
    onChange();
  };

  const element = make(
    'div',
    { class: 'operation' },
    ...sources.map((source) => source.element),
    ...[choice.element, options.basic, options.more, price.element],
  );
  element.addEventListener('change', change);
  options.makeFor(choice.model(), undefined);
  return {
    operation,
    element,
    sources,
    body,
    update,
    askAgain: price.again,
    /** What was chosen, as far as it is complete, without the files. */
    chosen: (): Body => ({ model: choice.model()?.id, ...options.complete() }),
    files: (): (Chosen | null)[] => sources.map(({ chosen }) => chosen()),
    /**
     * What another form takes too goes there, and is not sent again, not even where it is still on its way. Where it does not
     * fit, that form says so, and it stays here.
     */
    moveFiles: (other: { readonly sources: readonly Source[] }): void => {
      for (const source of sources) {
        const place = other.sources.find(({ group }) => isVisual(group) === isVisual(source.group));
        const file = source.chosen();
        if (!place || !file) continue;
        place.set(file, source.handOver);
        if (place.chosen()) source.remove();
      }
    },
    /** Puts an earlier request's options and files in. */
    fill: (given: Body, files: readonly (Chosen | null)[]): void => {
      if (given.model !== undefined) choice.set(given.model);
      for (const [at, file] of files.entries()) if (file) sources[at]?.set(file);
      options.makeFor(choice.model(), sources[0]?.chosen()?.kind);
      // An earlier request does not name what was left at its default; a file alone asks for nothing.
      options.set(given, given.model !== undefined);
      change();
    },
  };
};

const rateOf = ({ input_fps = 0, input_frames = 1 }: Estimate) => ({
  fps: input_fps,
  frames: input_frames,
});

/** The fields that name the files; null while one of them is not there. */
const urlsOf = (operation: Operation, sources: readonly Source[]): Body | null => {
  const urls = sources.flatMap(({ group, sent }) => {
    const there = sent();
    return there ? [[urlFieldFor(operation, group, there.kind), there.url] as const] : [];
  });
  return urls.length === sources.length ? Object.fromEntries(urls) : null;
};

/** The place of the only file that a refusal speaks of. */
const sourceOf = ({ problem }: EnhanceError, sources: readonly Source[]): Source | undefined => {
  const [fault, another] = problem.errors ?? [];
  if (!fault || another) return undefined;
  return sources.find(({ group }) => group.some((name) => fault.pointer === `/${name}_url`));
};

const missingText = (sources: readonly Source[]): string => {
  const lacking = sources
    .filter(({ chosen }) => !chosen())
    .map(({ group }) => (isVisual(group) ? 'a picture or a video' : 'a recording'));
  if (lacking.length > 0) return `Add ${lacking.join(' and ')} to see the price.`;
  return sources.some((source) => source.isRefused())
    ? ANOTHER_FILE
    : 'The price comes when the upload is done.';
};
