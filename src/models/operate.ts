/** What operators do with releases: the same for `enhance models …` and the admin routes. See decision 20. */
import type { Config } from '../config.ts';
import type { AddedRelease } from '../contract/releases.ts';
import type { Slot } from '../triton/clients/model.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import { addOn, loadNew, refuseFailed, takeBack } from './add.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { type CheckResult, checkRelease } from './check/check.ts';
import type { Everywhere } from './everywhere.ts';
import { listSlots } from './list-slots.ts';
import { type Manifest, type ReleaseSource, removeRelease } from './pack/release-folder.ts';
import { refused } from './refused.ts';
import type { Registry } from './registry.ts';
import {
  accepted,
  added,
  type Canary,
  canaried,
  promoted,
  readRef,
  releaseOf,
  reloaded,
  removed,
  rolledBack,
  type SlotState,
  unloaded,
  wayBack,
  written,
} from './state.ts';

type OperateParts = {
  readonly registry: Registry;
  readonly everywhere: Everywhere;
  readonly transport: Transport;
  readonly entries: readonly CatalogueEntry[];
  readonly config: Config;
  readonly signal: AbortSignal;
};
export type Checked = { readonly release: string; readonly checks: readonly CheckResult[] };
export type Operate = ReturnType<typeof openOperate>;

/** `by` is who does it, for the log. */
export const openOperate = (parts: OperateParts) => {
  const { registry, everywhere, config } = parts;
  const { dir: modelsDir, bounds, loadWithinMs } = config.models;

  const tritonSlots = (slot: string): readonly Slot[] => {
    const entry = parts.entries.find(({ id }) => id === slot);
    const all = entry ? [...entry.slots.image, ...entry.slots.video] : [];
    return all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
  };

  /** On the first Triton that is up; the reconcile loop compares the files for the others. Failure model_unavailable. */
  const check = (manifest: Manifest): Promise<CheckResult[]> => {
    const { transport, signal } = parts;
    const [{ control }] = everywhere.up(manifest.slot);
    return checkRelease({
      manifest,
      slots: tritonSlots(manifest.slot),
      modelsDir,
      control,
      transport,
      signal,
      bounds,
    });
  };

  /** Unloads models that no release needs. */
  const drop = async (models: readonly string[]): Promise<void> => {
    for (const replica of everywhere.all())
      for (const model of models) await everywhere.unloadOn(replica, model);
  };

  /**
   * Checks a new release on one Triton, then loads it on the others, before any caller can get it. After a refusal nothing of
   * it is left. Failure release_refused | model_unavailable.
   */
  const add = async (source: ReleaseSource, by: string, dryRun = false): Promise<AddedRelease> => {
    const { transport, signal } = parts;
    const states = await registry.readAll();
    const state = await registry.read(source.slot);
    const [first, ...others] = everywhere.up(source.slot);
    const loading = { modelsDir, transport, signal, loadWithinMs, bounds };
    const { manifest, checks } = await addOn(source, {
      ...loading,
      control: first.control,
      taken: takenBy(states),
      tritonSlots: tritonSlots(source.slot),
    });
    const ref = written(manifest.slot, manifest.release);
    const { licence, memory_bytes } = manifest;
    const told = { release: ref, checks: [...checks], licence, memory_bytes };
    const tritons = [first, ...others].map(({ control }) => control);
    try {
      if (dryRun) {
        await takeBack(manifest, modelsDir, tritons);
        return { ...told, dry_run: true };
      }
      const own = Object.fromEntries(
        Object.entries(manifest.models).map(([tritonSlot, { name }]) => [tritonSlot, name]),
      );
      for (const { control } of others)
        for (const name of Object.values(own)) await loadNew(name, { ...loading, control });
      const models = { ...releaseOf(state, state.stable).models, ...own };
      const act = { by, action: 'add', release: manifest.release, detail: licence };
      const release = { models, manifest, added_at: Date.now(), added_by: by };
      await registry.change(source.slot, (now) => added(now, manifest.release, release), act);
      return { ...told, dry_run: false };
    } catch (error) {
      await takeBack(manifest, modelsDir, tritons);
      throw error;
    }
  };

  /** From then on the reconcile loop keeps it loaded, for as long as a load may take at least. Failure model_unavailable. */
  const load = async (state: SlotState, name: string): Promise<void> => {
    const { models } = releaseOf(state, name);
    const until = Date.now() + loadWithinMs;
    await registry.change(state.slot, (now) => reloaded(now, name, until), null);
    await everywhere.load(written(state.slot, name), Object.values(models));
  };

  /** Makes sure that new jobs can run on the release. Failure release_refused | model_unavailable. */
  const prepare = async (state: SlotState, name: string): Promise<void> => {
    await load(state, name);
    const { manifest } = releaseOf(state, name);
    if (manifest) refuseFailed(await check(manifest));
  };

  /** `move` is applied when the release is ready everywhere and its check has passed. */
  const point = async (
    ref: string,
    move: (state: SlotState, release: string) => SlotState,
    act: { readonly by: string; readonly action: string; readonly detail: string },
  ): Promise<SlotState> => {
    const { slot, release } = readRef(ref);
    const seen = await registry.read(slot);
    // Refused before anything is loaded where the move is not allowed anyway.
    move(seen, release);
    await prepare(seen, release);
    await registry.forget(ref);
    return registry.change(slot, (now) => move(now, release), { ...act, release }, seen);
  };

  return {
    add,

    /** Checks a release again; one that was taken back can be used again when it passes. */
    check: async (ref: string, by: string): Promise<Checked> => {
      const { slot, release } = readRef(ref);
      const state = await registry.read(slot);
      const { models, manifest, loaded, rejected } = releaseOf(state, release);
      if (!manifest) throw refused(`${ref} ships with the service and is checked by its tests`);
      await load(state, release);
      try {
        const checks = await check(manifest);
        if (rejected !== null && checks.every(({ ok }) => ok)) {
          const act = { by, action: 'accept', release, detail: `was taken back: ${rejected}` };
          await registry.forget(ref);
          await registry.change(slot, (now) => accepted(now, release), act);
        }
        return { release: ref, checks };
      } finally {
        if (!loaded) {
          await registry.change(slot, (now) => unloaded(now, release), null);
          await drop(Object.values(models));
        }
      }
    },

    canary: (ref: string, canary: Canary, by: string): Promise<SlotState> => {
      const mirrored = canary.mirror > 0 ? `, ${canary.mirror} % mirrored` : '';
      return point(ref, (state, name) => canaried(state, name, canary, Date.now()), {
        by,
        action: 'canary',
        detail: `${canary.percent} % of new jobs${mirrored}`,
      });
    },

    promote: (ref: string, by: string): Promise<SlotState> =>
      point(ref, (state, name) => promoted(state, name, Date.now()), {
        by,
        action: 'promote',
        detail: 'new jobs get it',
      }),

    /** Ends the canary; without one, goes back to the earlier stable release. */
    rollback: async (slot: string, by: string): Promise<SlotState> => {
      const seen = await registry.read(slot);
      rolledBack(seen, Date.now());
      const back = wayBack(seen);
      if (back !== null) await prepare(seen, back);
      const release = back ?? seen.stable;
      const left = written(slot, seen.candidate?.release ?? seen.stable);
      const act = { by, action: 'rollback', release, detail: `away from ${left}` };
      return registry.change(slot, (now) => rolledBack(now, Date.now()), act, seen);
    },

    /** Refused while an alias means it or an unfinished job needs it; `remove` deletes its files too. Failure release_refused. */
    unload: async (ref: string, by: string, remove = false): Promise<SlotState> => {
      const { slot, release } = readRef(ref);
      const state = await registry.read(slot);
      const { models, manifest } = releaseOf(state, release);
      const next = unloaded(state, release);
      if (remove) removed(next, release);
      const jobs = await registry.close(slot, release);
      if (jobs > 0)
        throw refused(`${ref} is needed by ${jobs} unfinished jobs; unload it when they are done`);
      const act = { by, action: remove ? 'delete' : 'unload', release, detail: '' };
      const move = (now: SlotState) =>
        remove ? removed(unloaded(now, release), release) : unloaded(now, release);
      const after = await registry.change(slot, move, act, state);
      await drop(Object.values(models));
      if (remove && manifest) await removeRelease(modelsDir, manifest);
      return after;
    },

    list: () => listSlots(parts),

    log: (limit: number) => registry.log(limit),
  };
};

/** Names, versions and releases that a new one may not have. */
const takenBy = (states: readonly SlotState[]) => {
  const releases = states.flatMap((state) => Object.values(state.releases));
  return {
    names: releases.flatMap(({ models }) => Object.values(models)),
    versions: releases.flatMap(({ manifest }) =>
      Object.values(manifest?.models ?? {}).map(({ version }) => version),
    ),
    releases: states.flatMap(({ slot, releases: own }) =>
      Object.keys(own).map((name) => written(slot, name)),
    ),
  };
};
