/** The media that a request names, before a job exists: a part of the body, an earlier upload or result, or fetched. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { naming } from '../../errors.ts';
import type { MediaInfo } from '../../media/info.ts';
import type { WorkLabels } from '../../metrics/stages.ts';
import type { Intake, Source } from '../../operations/operation.ts';
import type { StoredFile } from '../../storage/stored-file.ts';
import type { Incoming } from '../body/incoming.ts';
import type { Context } from '../context.ts';
import type { Caller, Parts } from '../parts.ts';
import { whileWanted } from '../while-wanted.ts';
import { takeResult } from './earlier-result.ts';
import { inStage } from './stage.ts';

/** A checked request and the files that came with it. */
export type OrderRequest = {
  readonly ctx: Context;
  readonly caller: Caller;
  readonly body: Readonly<Record<string, unknown>>;
  readonly files: Readonly<Record<string, StoredFile>>;
} & Incoming;

/** What an operation gets to look at a request with. */
export const intakeOf = (request: OrderRequest, parts: Parts, operation: string): Intake => {
  const { ctx, caller, folder, admit } = request;
  const labels = { operation, model: String(request.body.model ?? '') };
  const { config, closing, turns, probers, probed } = parts;
  // A caller who hangs up while others' files are looked at waits no longer.
  const look: Intake['look'] = (work) =>
    whileWanted(ctx, closing, (signal) =>
      turns.take(caller.account, signal, () => probers.lend((probes) => work(probes, closing))),
    );
  return {
    config,
    take: (group, mostBytes) => take(group, mostBytes, request, { ...parts, labels }),
    look,
    probeMedia: async ({ field, file, sha256 }, kind, limits) => {
      const key = `${operation} ${kind} ${sha256}`;
      const known = probed.get(key);
      if (known) return known;
      const path = await file();
      const { ffmpeg } = config.probing;
      const probe = () =>
        look<MediaInfo>(({ probeImage, probeVideo }, signal) =>
          kind === 'image' ? probeImage(path) : probeVideo({ path, ffmpeg, limits, signal }),
        );
      const info = await naming(field, probe);
      probed.set(key, info);
      return info;
    },
    place: async (name) => join(await folder(), name),
    admit,
  };
};

/** The route lets no request pass without exactly one source of each group. */
const take = async (
  group: readonly string[],
  mostBytes: number,
  { body, files, caller, folder, admit }: OrderRequest,
  parts: Parts & { readonly labels: WorkLabels },
): Promise<Source> => {
  for (const name of group) {
    const part = files[name];
    if (part) return arrived(name, part);
  }
  const field = group.map((name) => `${name}_url`).find((name) => body[name] !== undefined) ?? '';
  const url = body[field];
  if (typeof url !== 'string') throw new Error('expected a source; the route let none pass');
  const place = async () => join(await folder(), group.join('-or-'));
  const kept = await naming(field, () => findKept(url, caller, parts));
  if (kept) {
    const { copy, ...known } = kept;
    const bring = async () => {
      const target = await place();
      await rename(await copy(), target);
      return target;
    };
    let brought: Promise<string> | undefined;
    const file = () => {
      brought ??= naming(field, bring);
      return brought;
    };
    return { ...known, field, file };
  }
  const { config, fetchTo, closing } = parts;
  const asked = {
    url,
    path: await place(),
    config: config.fetch,
    maxBytes: mostBytes,
    signal: closing,
    admit,
  };
  return arrived(
    field,
    await naming(field, () => inStage(parts, 'fetching', parts.labels, () => fetchTo(asked))),
  );
};

const arrived = (field: string, { path, ...known }: StoredFile): Source => ({
  ...known,
  field,
  file: async () => path,
});

/** What this service keeps itself; null where the address is no one of its own. */
const findKept = async (url: string, { account }: Caller, parts: Parts) =>
  (await parts.uploads.resolve(account, url)) ?? (await takeResult(account, url, parts));
