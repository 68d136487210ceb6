/** Releases of models as operators see and change them. */
import { z } from 'zod';
import { exampleTimes } from './examples.ts';

const ReleaseRef = z
  .string()
  .regex(/^[^@\s]+@[^@\s]+$/, 'Expected a release such as photo@r2')
  .describe('a release such as photo@r2');
const SlotName = z.string().min(1).max(64).describe('a model such as photo');

/** A share of new jobs, in percent; a canary has more than 0. */
export const CanaryPercent = z.number().min(0.01).max(100);
export const MirrorPercent = z.number().min(0).max(100);

const Candidate = z.strictObject({
  release: ReleaseRef,
  percent: z.number(),
  mirror: z.number(),
  since: z.number().describe('milliseconds since 1970'),
});

export const AdminRelease = z
  .strictObject({
    release: ReleaseRef,
    alias: z.enum(['stable', 'candidate']).nullable(),
    shipped: z.boolean().describe('belongs to this version of the service'),
    loaded: z.boolean().describe('whether every Triton should have it loaded'),
    ready_on: z.array(z.string()).describe('the Tritons on which it is ready'),
    rejected: z.string().nullable().describe('why the service took it back automatically'),
    models: z.record(z.string(), z.string()).describe("Triton's name of the model in each slot"),
    licence: z.string().nullable(),
    source: z.string().nullable(),
    added_at: z.iso.datetime().nullable(),
    added_by: z.string().nullable(),
    attempts: z
      .strictObject({
        done: z.int(),
        failed: z.int().describe('because of the model, not because of what the caller sent'),
        mirrored: z.int().describe('jobs that it has done again to be compared'),
        likeness_db: z
          .number()
          .nullable()
          .describe('mean PSNR of those pictures; null without any'),
      })
      .describe('of jobs, since the release was last put on trial'),
  })
  .meta({ id: 'AdminRelease' });
export type AdminRelease = z.infer<typeof AdminRelease>;

export const AdminSlot = z
  .strictObject({
    slot: SlotName,
    stable: ReleaseRef,
    previous: ReleaseRef.nullable().describe('where a rollback leads'),
    candidate: Candidate.nullable(),
    releases: z.array(AdminRelease),
  })
  .meta({ id: 'AdminSlot' });
export type AdminSlot = z.infer<typeof AdminSlot>;

export const AdminSlotList = z
  .strictObject({ object: z.literal('list'), data: z.array(AdminSlot) })
  .meta({ id: 'AdminSlotList' });
export type AdminSlotList = z.infer<typeof AdminSlotList>;

export const ReleaseLogEntry = z
  .strictObject({
    at: z.iso.datetime(),
    by: z.string().describe('operator:name@host, key:key_… or service'),
    action: z.string(),
    slot: z.string(),
    release: z.string().nullable(),
    detail: z.string(),
  })
  .meta({ id: 'ReleaseLogEntry' });
export type ReleaseLogEntry = z.infer<typeof ReleaseLogEntry>;
export const ReleaseLog = z
  .strictObject({ object: z.literal('list'), data: z.array(ReleaseLogEntry) })
  .meta({ id: 'ReleaseLog' });
export type ReleaseLog = z.infer<typeof ReleaseLog>;
export const ReleaseLogQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(50),
});

const Check = z
  .strictObject({ name: z.string(), ok: z.boolean(), detail: z.string(), ms: z.number() })
  .meta({ id: 'ReleaseCheck' });
export const CheckedRelease = z
  .strictObject({ release: ReleaseRef, checks: z.array(Check) })
  .meta({ id: 'CheckedRelease' });
export type CheckedRelease = z.infer<typeof CheckedRelease>;
export const AddedRelease = z
  .strictObject({
    ...CheckedRelease.shape,
    dry_run: z.boolean(),
    licence: z.string(),
    memory_bytes: z.number().nullable(),
  })
  .meta({ id: 'AddedRelease' });
export type AddedRelease = z.infer<typeof AddedRelease>;

const flag = z.union([z.boolean(), z.stringbool()]);
/** Fields of the multipart body, beside the file. */
export const AddRequest = z
  .strictObject({
    slot: SlotName,
    release: z.string().optional().describe('such as r2; the next free one unless given'),
    licence: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('SPDX identifier, if the folder names none'),
    source: z.string().min(1).max(500).optional().describe('where it comes from'),
    dry_run: flag.optional().describe('only check it'),
  })
  .meta({ id: 'AddReleaseRequest' });

export const NamedRelease = z.strictObject({ release: ReleaseRef }).meta({ id: 'NamedRelease' });
export const CanaryRequest = z
  .strictObject({
    release: ReleaseRef,
    percent: CanaryPercent.describe('percent of new jobs that get it'),
    mirror: MirrorPercent.optional().describe(
      'percent of jobs on the stable release that are also done by it, uncharged, only to compare them',
    ),
  })
  .meta({ id: 'CanaryRequest' });
export const RollbackRequest = z.strictObject({ slot: SlotName }).meta({ id: 'RollbackRequest' });
export const UnloadRequest = z
  .strictObject({ release: ReleaseRef, delete: z.boolean().optional().describe('its files too') })
  .meta({ id: 'UnloadRequest' });

const name = z.string().min(1).max(64);
/** What slots are to be: a models.yaml. What it does not name stays as it is. */
export const ModelsFile = z
  .strictObject({
    slots: z.record(
      SlotName,
      z.strictObject({
        stable: name.optional().describe('the stable release, such as r2'),
        candidate: z
          .strictObject({
            release: name,
            percent: CanaryPercent,
            mirror: MirrorPercent.default(0),
          })
          .nullable()
          .optional()
          .describe('null: no canary'),
        releases: z
          .array(
            z.strictObject({
              release: name,
              path: z
                .string()
                .optional()
                .describe('folder, archive or .onnx file that it is added from'),
              licence: z.string().optional(),
              source: z.string().optional(),
            }),
          )
          .default([]),
      }),
    ),
    dry_run: z.boolean().default(false).describe('only say what would be done'),
  })
  .meta({ id: 'ModelsFile' });
export type ModelsFile = z.infer<typeof ModelsFile>;

export const AppliedModels = z
  .strictObject({
    dry_run: z.boolean(),
    steps: z
      .array(z.strictObject({ action: z.string(), release: z.string(), detail: z.string() }))
      .describe('what was done; empty where everything is already as the file says'),
  })
  .meta({ id: 'AppliedModels' });
export type AppliedModels = z.infer<typeof AppliedModels>;

const added = { licence: 'MIT', source: 'https://media.example.com/photo-r2.tar.gz' };
export const slotExample: AdminSlot = {
  slot: 'photo',
  stable: 'photo@r1',
  previous: null,
  candidate: { release: 'photo@r2', percent: 5, mirror: 1, since: 1_780_056_000_000 },
  releases: [
    {
      release: 'photo@r2',
      alias: 'candidate',
      shipped: false,
      loaded: true,
      ready_on: ['127.0.0.1:8000'],
      rejected: null,
      models: { upscaler: 'photo__r2' },
      ...added,
      added_at: exampleTimes.created,
      added_by: 'key:key_2nR7cVxT0pLq',
      attempts: { done: 41, failed: 0, mirrored: 3, likeness_db: 38.2 },
    },
  ],
};
export const slotListExample = { object: 'list', data: [slotExample] };

export const releaseLogExample: ReleaseLog = {
  object: 'list',
  data: [
    {
      at: exampleTimes.created,
      by: 'key:key_2nR7cVxT0pLq',
      action: 'canary',
      slot: 'photo',
      release: 'photo@r2',
      detail: '5 % of new jobs',
    },
  ],
};

export const checkedExample: CheckedRelease = {
  release: 'photo@r2',
  checks: [{ name: 'contract', ok: true, detail: 'inputs and outputs are as expected', ms: 12 }],
};
export const addedExample: AddedRelease = {
  ...checkedExample,
  dry_run: false,
  licence: added.licence,
  memory_bytes: 418_000_000,
};

export const modelsFileExample: z.input<typeof ModelsFile> = {
  slots: { photo: { stable: 's3', candidate: { release: 'r2', percent: 5 } } },
  dry_run: true,
};
export const appliedExample: z.infer<typeof AppliedModels> = {
  dry_run: true,
  steps: [{ action: 'canary', release: 'photo@r2', detail: '5 % of new jobs' }],
};
