import { z } from 'zod';
import { type modelSchemas, requestSchema } from '../../contract/models.ts';
import { written } from '../../models/state.ts';
import type { Operation } from '../../operations/operation.ts';
import { route } from '../route.ts';

export const modelsRoute = (ModelList: ReturnType<typeof modelSchemas>) =>
  route({
    method: 'get',
    path: '/v1/models',
    summary: 'Every model with its options, limits, price, version, engine and whether it is ready',
    scope: 'read',
    rate: 'read',
    answer: { status: 200, body: ModelList },
    fails: [],
    handle: async (_, { models, operations, config }) => {
      const states = await models.describe();
      const data = operations.flatMap((operation) =>
        Object.entries(operation.models).map(([id, { description }]) => {
          const state = states.find((one) => one.id === id);
          const releases = state?.releases ?? { image: null, video: null };
          return {
            ...{ id, operation: operation.kind, description },
            ready: state?.ready ?? false,
            version: releases.video ?? releases.image,
            releases: (state?.offered ?? []).map(
              ({ release, alias, percent, ready, versions }) => ({
                ...{ release: written(id, release), alias, percent, ready },
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

const operationEntry = ({ kind, title, summary, sources, request }: Operation) => ({
  ...{ kind, title, summary, path: `/v1/${kind}` },
  sources: sources.map((group) => [...group]),
  request: requestSchema(z.strictObject(request.shape)),
});
