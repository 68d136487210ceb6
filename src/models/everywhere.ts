/** Loading and unloading on every Triton that is up. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../async/repeat.ts';
import { Failure } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Redises } from '../redis/script.ts';
import type { Control, IndexEntry } from '../triton/protocol/control.ts';
import type { Registry } from './registry.ts';
import type { SlotState } from './state.ts';

/** One Triton server. */
export type Replica = {
  readonly name: string;
  readonly control: Control;
  readonly state: () => { readonly healthy: boolean };
};

export type Everywhere = ReturnType<typeof openEverywhere>;

type Parts = {
  readonly stores: Redises;
  readonly registry: Pick<Registry, 'readAll'>;
  /** All of them, in use or not. */
  readonly replicas: { list(): readonly Replica[] };
  /** A stub that cannot start leaves its model loading for ever. */
  readonly loadWithinMs: number;
  readonly signal: AbortSignal;
  readonly log: Log;
};

const LOOK_MS = 200;
/** A lock ends so long after its process was last heard of. The process renews it three times as often. */
const LEASE_MS = 10_000;

export const openEverywhere = (
  { stores, registry, replicas, loadWithinMs, signal, log }: Parts,
  leaseMs = LEASE_MS,
) => {
  const { redis, prefix } = stores;
  /** The replicas that are up; there may be none. */
  const all = (): readonly Replica[] => replicas.list().filter(({ state }) => state().healthy);

  /**
   * Loading and unloading one model on one Triton is done by one process at a time: else its processes would start twice, or
   * one that is wanted again would be unloaded. Null when that was not possible by `deadline` (of performance.now()).
   */
  const alone = async <T>(
    { name: replica }: Replica,
    model: string,
    deadline: number,
    work: () => Promise<T>,
  ): Promise<T | null> => {
    const lock = `${prefix}:models:loading:${replica}:${model}`;
    const token = randomUUID();
    while (!(await redis.set(lock, token, 'PX', leaseMs, 'NX'))) {
      if (performance.now() > deadline) return null;
      await sleep(LOOK_MS, undefined, { signal });
    }
    const goOn = async () => {
      // It has ended where Redis was away for longer.
      if (!(await redis.pexpire(lock, leaseMs))) await redis.set(lock, token, 'PX', leaseMs, 'NX');
    };
    const stop = repeat(leaseMs / 3, goOn, log);
    try {
      return await work();
    } finally {
      await stop();
      if ((await redis.get(lock)) === token) await redis.del(lock);
    }
  };

  /** Resolves when the model is ready. Failure model_unavailable. */
  const loadOn = async (replica: Replica, model: string): Promise<void> => {
    const { name, control } = replica;
    const deadline = performance.now() + loadWithinMs;
    const done = await alone(replica, model, deadline, async () => {
      if (stateIn(await control.repositoryIndex({ signal }), model) === 'READY') return true;
      await control.load(model, loadWithinMs, signal);
      return true;
    });
    if (done === null) throw notInTime(model, name, loadWithinMs);
  };

  /**
   * Unloads the model if no release needs it then: an operator may want it since the caller looked. Not while another process
   * loads or unloads it.
   */
  const unloadOn = async (replica: Replica, model: string): Promise<void> => {
    await alone(replica, model, 0, async () => {
      const isWanted = wantedModels(await registry.readAll()).has(model);
      if (!isWanted) await replica.control.unload(model);
    });
  };

  /** The replicas that are up. Failure model_unavailable when there is none. */
  const up = (what: string): readonly [Replica, ...Replica[]] => {
    const [first, ...others] = all();
    if (!first) throw unready(what, 'no Triton is up');
    return [first, ...others];
  };

  return {
    all,
    up,
    loadOn,
    unloadOn,
    /** Failure model_unavailable when one of the models cannot be loaded on one of the replicas. */
    load: async (what: string, models: readonly string[]): Promise<void> => {
      const each = async (replica: Replica) => {
        try {
          for (const model of models) await loadOn(replica, model);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          throw unready(what, `the Triton at ${replica.name} did not load it`, error);
        }
      };
      await Promise.all(up(what).map(each));
    },
  };
};

export const stateIn = (index: readonly IndexEntry[], model: string): string | undefined =>
  index.find(({ name }) => name === model)?.state;

/** With the reason, for operators. */
const unready = (model: string, reason: string, cause?: Failure): Failure =>
  new Failure('model_unavailable', { model, reason }, { cause });

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
