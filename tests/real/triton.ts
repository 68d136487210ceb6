/** A real Triton for tests: the run's shared one, or an own one for tests that kill it. */
import { join } from 'node:path';
import { z } from 'zod';
import { loadedSet } from '../../src/models/releases.ts';
import { added, slotState } from '../../src/models/state.ts';
import type { LipsyncModel } from '../../src/operations/lip-sync/request.ts';
import { signalGroup, weighSession } from '../../src/stack/child.ts';
import { places, root } from '../../src/stack/home.mjs';
import { loadModels, models, startTritonWith } from '../../src/stack/triton.ts';
import { lipsyncSlots } from '../../src/triton/clients/lipsync.ts';
import type { ModelSet, Slot } from '../../src/triton/clients/model.ts';
import type { Control } from '../../src/triton/protocol/control.ts';
import { freePorts } from './ports.ts';
import { adminSecret, partEnvironment, tempDir } from './run.ts';
import { sharedPart } from './shared.ts';

/** The models that ship with the service, as clients are opened over them, or others by their Triton slots. */
export const shippedSet = (
  control: Control,
  slots: readonly Slot[],
  others: Readonly<Record<string, string>> = {},
): Promise<ModelSet> => {
  const form = { slot: 'shipped', shipped: 'r1', tritonSlots: slots.map(({ name }) => name) };
  const state = added(slotState(form, null), 'r2', {
    models: Object.fromEntries(slots.map(({ name }) => [name, others[name] ?? name])),
  });
  return loadedSet(control, state, 'r2', slots);
};

type Address = { readonly httpUrl: string; readonly grpcUrl: string };
export type RealTriton = Address & {
  readonly adminSecret: string;
  close(): Promise<void>;
};

/** The service's models, and the small ones of tests (`echo` and the like). */
export const testModels = join(root, 'tests/triton/models');
export const repositories = [join(root, 'models'), testModels];

/** Triton's names of what portraits and clips go through with these models. */
export const lipsyncNames = (...chosen: readonly LipsyncModel[]): string[] =>
  chosen.flatMap((model) => lipsyncSlots(model).image.map(({ name }) => name));

/** The shared server of the run with at least these models loaded; an own one when there is no run. */
export const realTriton = async (load: readonly string[] = models): Promise<RealTriton> => {
  const asked = load.map((model) => `model=${model}`).join('&');
  const Shared = z.object({ httpUrl: z.string(), grpcUrl: z.string() });
  const shared = await sharedPart(`triton?${asked}`, Shared);
  return shared ? { ...shared, adminSecret, close: async () => {} } : ownTriton(load);
};

/** The variables of a configuration that uses this server. */
export const tritonEnvironment = ({ httpUrl, grpcUrl }: Address) => ({
  TRITON_HTTP_URL: httpUrl,
  TRITON_GRPC_URL: grpcUrl,
  TRITON_GRPC_DESCRIPTORS: places.grpcDescriptors,
  TRITON_ADMIN_SECRET: adminSecret,
});

export type OwnTriton = RealTriton & {
  /** Loads those of these models that are not loaded. */
  load(models: readonly string[]): Promise<void>;
  /** Ends it as kill -9 does. */
  kill(): Promise<void>;
  /** Starts it again on the same ports with the same models. */
  start(): Promise<void>;
};

/** What else an own server may have: `settings` are further variables, `niceness` that of its session. */
type Own = { readonly settings?: NodeJS.ProcessEnv; readonly niceness?: number };

/** A server of this test alone, with the named models loaded; `modelsDirs` are its repositories. */
export const ownTriton = async (
  first: readonly string[] = models,
  modelsDirs: readonly string[] = repositories,
  { settings, niceness }: Own = {},
): Promise<OwnTriton> => {
  const [http = 0, grpc = 0, metrics = 0] = await freePorts(3);
  const address = { httpUrl: `http://127.0.0.1:${http}`, grpcUrl: `127.0.0.1:${grpc}` };
  const startServer = async (models: readonly string[]) => {
    const options = {
      ports: { http, grpc, metrics },
      host: '127.0.0.1',
      modelsDirs,
      logFile: join(tempDir('triton'), 'triton.log'),
      env: { ...partEnvironment(), ...settings },
    };
    const child = await startTritonWith(options, models, loadWithinMs);
    if (niceness) weighSession(child.pid, niceness);
    return child;
  };
  let child = await startServer(first);
  const atExit = () => signalGroup(child.pid, 'SIGKILL');
  process.once('exit', atExit);

  const loading = new Map(first.map((model) => [model, Promise.resolve()]));
  const never = new AbortController().signal;
  return {
    ...address,
    adminSecret,
    load: async (models) => {
      const missing = [...new Set(models)].filter((model) => !loading.has(model));
      const loaded = loadModels({ ...address, adminSecret }, missing, loadWithinMs, never);
      for (const model of missing) loading.set(model, loaded);
      try {
        await Promise.all(models.map((model) => loading.get(model)));
      } catch (error) {
        throw new Error(`${error}\n${child.tail()}`, { cause: error });
      }
    },
    kill: async () => {
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
    },
    start: async () => {
      child = await startServer([...loading.keys()]);
    },
    close: async () => {
      process.off('exit', atExit);
      await child.stop();
    },
  };
};

const loadWithinMs = 180_000;
