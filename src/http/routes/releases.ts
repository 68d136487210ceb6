/** What operators do with releases of models, as `enhance models …` does. */
import {
  AddedRelease,
  AddRequest,
  AdminSlotList,
  AppliedModels,
  addedExample,
  appliedExample,
  CanaryRequest,
  CheckedRelease,
  checkedExample,
  ModelsFile,
  modelsFileExample,
  NamedRelease,
  ReleaseLog,
  ReleaseLogQuery,
  RollbackRequest,
  releaseLogExample,
  slotListExample,
  UnloadRequest,
} from '../../contract/releases.ts';
import type { FailureCode } from '../../errors.ts';
import { applyModels } from '../../models/apply.ts';
import type { Caller, Parts } from '../parts.ts';
import { route } from '../route.ts';

/** Who did it, as the log names callers. */
const byOf = ({ keyId }: Caller): string => `key:${keyId}`;

const slots = async ({ operate }: Parts) => ({
  object: 'list' as const,
  data: await operate.list(),
});

const fails: FailureCode[] = [
  'not_found',
  'release_refused',
  'models_changed',
  'model_unavailable',
];

export const listReleases = route({
  method: 'get',
  path: '/v1/admin/models',
  operationId: 'listReleases',
  tag: 'Admin: models',
  summary: 'Every release of every model, what is stable and on trial, and where it is loaded',
  scope: 'admin',
  rate: 'read',
  answer: { status: 200, body: AdminSlotList, example: slotListExample },
  fails: ['model_unavailable'],
  handle: (_, parts) => slots(parts),
});

export const releaseLog = route({
  method: 'get',
  path: '/v1/admin/models/log',
  operationId: 'listReleaseLog',
  tag: 'Admin: models',
  summary: 'Who changed the releases, newest first',
  scope: 'admin',
  rate: 'read',
  query: ReleaseLogQuery,
  answer: { status: 200, body: ReleaseLog, example: releaseLogExample },
  fails: [],
  handle: async ({ query }, { operate }) => ({
    object: 'list' as const,
    data: await operate.log(query.limit),
  }),
});

export const addRelease = route({
  method: 'post',
  path: '/v1/admin/models/add',
  operationId: 'addRelease',
  tag: 'Admin: models',
  summary:
    'Add a release from an .onnx file or an archive of its folder, once it has passed its checks',
  scope: 'admin',
  rate: 'create',
  body: AddRequest,
  example: { slot: 'photo', licence: 'MIT', dry_run: true },
  sources: [['file']],
  answer: { status: 201, body: AddedRelease, example: addedExample },
  fails,
  handle: async ({ body, files, caller }, { operate }) => {
    const { dry_run = false, slot, release, licence, source } = body;
    const { file } = files;
    if (!file) throw new Error('the route lets no request without its file pass');
    const from = { path: file.path, slot, release, licence, source };
    return operate.add(from, byOf(caller), dry_run);
  },
});

export const checkRelease = route({
  method: 'post',
  path: '/v1/admin/models/check',
  operationId: 'checkRelease',
  tag: 'Admin: models',
  summary: 'Check a release again; one that was taken back can be used again when it passes',
  scope: 'admin',
  rate: 'create',
  body: NamedRelease,
  example: { release: 'photo@r2' },
  answer: { status: 200, body: CheckedRelease, example: checkedExample },
  fails,
  handle: async ({ body, caller }, { operate }) => {
    const { release, checks } = await operate.check(body.release, byOf(caller));
    return { release, checks: [...checks] };
  },
});

const changing = {
  method: 'post',
  scope: 'admin',
  rate: 'create',
  /** How all slots are then. */
  answer: { status: 200, body: AdminSlotList, example: slotListExample },
  fails,
} as const;

export const canaryRelease = route({
  ...changing,
  path: '/v1/admin/models/canary',
  operationId: 'startCanary',
  tag: 'Admin: models',
  summary: 'Put a release on trial: some of the new jobs get it',
  body: CanaryRequest,
  example: { release: 'photo@r2', percent: 5, mirror: 1 },
  handle: async ({ body: { release, percent, mirror = 0 }, caller }, parts) => {
    await parts.operate.canary(release, { percent, mirror }, byOf(caller));
    return slots(parts);
  },
});

export const promoteRelease = route({
  ...changing,
  path: '/v1/admin/models/promote',
  operationId: 'promoteRelease',
  tag: 'Admin: models',
  summary: 'All new jobs get the release; those that run finish on theirs',
  body: NamedRelease,
  example: { release: 'photo@r2' },
  handle: async ({ body, caller }, parts) => {
    await parts.operate.promote(body.release, byOf(caller));
    return slots(parts);
  },
});

export const rollBack = route({
  ...changing,
  path: '/v1/admin/models/rollback',
  operationId: 'rollBackRelease',
  tag: 'Admin: models',
  summary: 'End the trial; without one, go back to the release that was stable before',
  body: RollbackRequest,
  example: { slot: 'photo' },
  handle: async ({ body, caller }, parts) => {
    await parts.operate.rollback(body.slot, byOf(caller));
    return slots(parts);
  },
});

export const unloadRelease = route({
  ...changing,
  path: '/v1/admin/models/unload',
  operationId: 'unloadRelease',
  tag: 'Admin: models',
  summary: 'Unload a release that no alias means and no unfinished job needs',
  body: UnloadRequest,
  example: { release: 'photo@r2', delete: true },
  handle: async ({ body, caller }, parts) => {
    await parts.operate.unload(body.release, byOf(caller), body.delete);
    return slots(parts);
  },
});

export const applyReleases = route({
  method: 'post',
  path: '/v1/admin/models/apply',
  operationId: 'applyReleases',
  tag: 'Admin: models',
  summary: 'Bring the aliases to what a models file says; again it does nothing',
  scope: 'admin',
  rate: 'create',
  body: ModelsFile,
  example: modelsFileExample,
  answer: { status: 200, body: AppliedModels, example: appliedExample },
  fails,
  handle: ({ body, caller }, { operate, registry }) =>
    applyModels({ operate, registry }, body, byOf(caller)),
});
