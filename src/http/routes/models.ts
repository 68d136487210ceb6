import { z } from 'zod';
import { inShape, modelExample } from '../../contract/examples.ts';
import { type modelSchemas, requestSchema } from '../../contract/models.ts';
import { written } from '../../models/state.ts';
import type { Operation } from '../../operations/operation.ts';
import { route } from '../route.ts';

export const modelsRoute = (
  ModelList: ReturnType<typeof modelSchemas>,
  offered: readonly Operation[],
) =>
  route({
    method: 'get',
    path: '/v1/models',
    operationId: 'listModels',
    tag: 'Models',
    summary: 'Every model with its options, limits, price, version, engine and whether it is ready',
    description:
      '`releases` are those that a request may name in its `model`, as in `photo@r2`; without one, the stable release is used.',
    scope: 'read',
    rate: 'read',
    answer: { status: 200, body: ModelList, example: inShape(ModelList, exampleOf(offered)) },
    fails: [],
    handle: async (_, { models, operations, config }) => {
      const states = await models.describe();
      const data = operations.flatMap((operation) =>
        Object.entries(operation.models).map(([id, { description, model = id }]) => {
          const state = states.find((one) => one.id === id);
          const releases = state?.releases ?? { image: null, video: null };
          return {
            id,
            operation: operation.kind,
            description,
            ready: state?.ready ?? false,
            version: releases.video ?? releases.image,
            releases: (state?.offered ?? []).map(
              ({ release, alias, percent, ready, versions }) => ({
                release: written(model, release),
                alias,
                percent,
                ready,
                version: versions.video ?? versions.image,
              }),
            ),
            engine: state?.engine ?? null,
            ...operation.describe(id, config, releases),
          };
        }),
      );
      return { object: 'list' as const, operations: operations.map(operationEntry), data };
    },
  });

const exampleOf = (operations: readonly Operation[]) => ({
  object: 'list',
  operations: operations.map(({ kind, title, heading = title, summary, sources }) => ({
    kind,
    title: heading,
    summary,
    path: `/v1/${kind}`,
    sources,
    request: { type: 'object' },
  })),
  data: operations.flatMap(({ kind, models, example }) => {
    const model = String(example?.result.model_used);
    return example ? [modelExample(kind, models[model]?.description ?? '', example)] : [];
  }),
});

const operationEntry = ({
  kind,
  title,
  heading = title,
  summary,
  sources,
  request,
}: Operation) => ({
  kind,
  title: heading,
  summary,
  path: `/v1/${kind}`,
  sources: sources.map((group) => [...group]),
  request: requestSchema(z.strictObject(request.shape)),
});
