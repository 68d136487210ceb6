/** Loading and unloading on every Triton that is up. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../errors.ts';
import type { Redises } from '../redis.ts';
import type { Control, IndexEntry } from '../triton/protocol/control.ts';
import type { SlotState } from './state.ts';

/** One Triton server. */
export type Replica = { readonly name: string; readonly control: Control };
/** Those that are up. */
export type ListReplicas = () => readonly Replica[];

export type Everywhere = ReturnType<typeof openEverywhere>;

type Parts = {
  readonly stores: Redises;
  readonly replicas: ListReplicas;
  /** A stub that cannot start leaves its model loading for ever. */
  readonly loadWithinMs: number;
  readonly signal: AbortSignal;
};

const LOOK_MS = 200;

export const openEverywhere = ({ stores, replicas, loadWithinMs, signal }: Parts) => {
  const { redis, prefix } = stores;

  /**
   * Loads a model unless it is ready, or another process is loading it: two loads of one model at the same time would
   * start its processes twice. Failure model_unavailable.
   */
  const loadOn = async ({ name: replica, control }: Replica, model: string): Promise<void> => {
    if (stateIn(await control.repositoryIndex(), model) === 'READY') return;
    const lock = `${prefix}:models:loading:${replica}:${model}`;
    const token = randomUUID();
    const deadline = Date.now() + loadWithinMs;
    while (!(await redis.set(lock, token, 'PX', loadWithinMs, 'NX'))) {
      if (Date.now() > deadline) throw notInTime(model, replica, loadWithinMs);
      await sleep(LOOK_MS, undefined, { signal });
      if (stateIn(await control.repositoryIndex(), model) === 'READY') return;
    }
    try {
      await control.load(model, loadWithinMs, signal);
      // Triton answers at once where it is still unloading the model, and loads it after that.
      while (stateIn(await control.repositoryIndex(), model) !== 'READY') {
        if (Date.now() > deadline) throw notInTime(model, replica, loadWithinMs);
        await sleep(LOOK_MS, undefined, { signal });
      }
    } finally {
      if ((await redis.get(lock)) === token) await redis.del(lock);
    }
  };

  /** The replicas that are up. Failure model_unavailable when there is none. */
  const up = (what: string): readonly [Replica, ...Replica[]] => {
    const [first, ...others] = replicas();
    if (!first) throw new Failure('model_unavailable', { model: what });
    return [first, ...others];
  };

  return {
    /** The replicas that are up; there may be none. */
    all: replicas,
    up,
    loadOn,
    /** Failure model_unavailable when one of the models cannot be loaded on one of the replicas. */
    load: async (what: string, models: readonly string[]): Promise<void> => {
      const each = async (replica: Replica) => {
        for (const model of models) await loadOn(replica, model);
      };
      await Promise.all(up(what).map(each));
    },
    unload: async (models: readonly string[]): Promise<void> => {
      for (const { control } of replicas()) {
        const index = await control.repositoryIndex();
        const loaded = models.filter((model) => isLoaded(stateIn(index, model)));
        for (const model of loaded) await control.unload(model);
      }
    },
  };
};

export const stateIn = (index: readonly IndexEntry[], model: string): string | undefined =>
  index.find(({ name }) => name === model)?.state;

const isLoaded = (state: string | undefined): boolean => state === 'READY' || state === 'LOADING';

const notInTime = (model: string, replica: string, withinMs: number): Failure => {
  const cause = new Error(`${replica} did not load ${model} within ${withinMs / 1000} s`);
  return new Failure('model_unavailable', { model }, { cause });
};

/** Triton's names of the models that are to be loaded. */
export const wantedModels = (states: readonly SlotState[]): ReadonlySet<string> =>
  new Set(
    states.flatMap(({ releases }) =>
      Object.values(releases).flatMap(({ loaded, models }) =>
        loaded ? Object.values(models) : [],
      ),
    ),
  );

/** Triton's names of all models of all releases, loaded or not. */
export const knownModels = (states: readonly SlotState[]): ReadonlySet<string> =>
  new Set(
    states.flatMap(({ releases }) =>
      Object.values(releases).flatMap((one) => Object.values(one.models)),
    ),
  );
