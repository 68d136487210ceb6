/** `enhance models add|check|canary|promote|rollback|unload|apply|log`: works on Redis and Triton, not on the API. */
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { type AddedRelease, ModelsFile } from '../contract/releases.ts';
import { createLog } from '../log.ts';
import { applyModels } from '../models/apply.ts';
import { openEverywhere } from '../models/everywhere.ts';
import { type Checked, type Operate, openOperate } from '../models/operate.ts';
import { openRegistry, type Registry } from '../models/registry.ts';
import { type SlotState, written } from '../models/state.ts';
import { operations } from '../operations/all.ts';
import { catalogueEntries, slotForms } from '../operations/catalogue-entries.ts';
import { expected } from '../text/expected.ts';
import { openReplicas } from '../triton/replicas/replicas.ts';
import { asOperator } from './operator.ts';
import { Refused } from './refused.ts';
import { releaseTable, unloadText } from './release-words.ts';

type Json = { readonly json?: boolean };
type Swap = { readonly operate: Operate; readonly registry: Registry; readonly by: string };

/** Runs `work` with what operators do with releases. Ctrl-C undoes what was begun; a second one ends at once. */
const asSwapper = (work: (swap: Swap) => Promise<void>): Promise<void> =>
  asOperator(async ({ stores, config }) => {
    const ending = new AbortController();
    const { signal } = ending;
    const stop = () => {
      console.error('Stopping: what was begun is taken back first.');
      ending.abort();
    };
    for (const name of stops) process.once(name, stop);
    const log = createLog('silent', 'cli');
    const replicas = await openReplicas(config.triton, log);
    const { transport } = replicas;
    const registry = openRegistry(stores, operations.flatMap(slotForms));
    const { loadWithinMs } = config.models;
    const everywhere = openEverywhere({ stores, registry, replicas, loadWithinMs, signal, log });
    const operate = openOperate({
      registry,
      everywhere,
      transport,
      signal,
      config,
      entries: operations.flatMap(catalogueEntries),
    });
    try {
      await work({ operate, registry, by: `operator:${userInfo().username}@${hostname()}` });
    } catch (error) {
      throw signal.aborted ? new Refused('Stopped.') : error;
    } finally {
      for (const name of stops) process.off(name, stop);
      ending.abort();
      await replicas.close();
    }
  });

/** Ctrl-C, kill, and a terminal that goes away. */
const stops = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Addition = Json & {
  readonly slot: string;
  readonly release?: string;
  readonly licence?: string;
  readonly source?: string;
  readonly dryRun?: boolean;
};

export const addRelease = (path: string, options: Addition): Promise<void> =>
  asSwapper(async ({ operate, by }) => {
    const { slot, release, licence, source, dryRun = false, json } = options;
    const from = { path: resolve(path), slot, release, licence, source };
    const added = await operate.add(from, by, dryRun);
    if (json) return console.log(JSON.stringify(added));
    showChecks(added);
    console.log(
      dryRun
        ? `${added.release} would be added; nothing was changed.`
        : `${added.release} is added and loaded. No job gets it yet: enhance models canary ${added.release} --percent 10, or promote ${added.release}`,
    );
  });

export const checkRelease = (ref: string, { json }: Json): Promise<void> =>
  asSwapper(async ({ operate, by }) => {
    const checked = await operate.check(ref, by);
    if (json) console.log(JSON.stringify(checked));
    else showChecks(checked);
    if (!checked.checks.every(({ ok }) => ok)) process.exitCode = 1;
  });

export const canaryRelease = (
  ref: string,
  { percent, mirror, json }: Json & { readonly percent: number; readonly mirror: number },
): Promise<void> =>
  asSwapper(async ({ operate, by }) =>
    showSlot(await operate.canary(ref, { percent, mirror }, by), json),
  );

export const promoteRelease = (ref: string, { json }: Json): Promise<void> =>
  asSwapper(async ({ operate, by }) => showSlot(await operate.promote(ref, by), json));

export const rollBack = (slot: string, { json }: Json): Promise<void> =>
  asSwapper(async ({ operate, by }) => showSlot(await operate.rollback(slot, by), json));

export const unloadRelease = (
  ref: string,
  { delete: remove = false, json }: Json & { readonly delete?: boolean },
): Promise<void> =>
  asSwapper(async ({ operate, by }) => {
    const state = await operate.unload(ref, by, remove);
    if (!json) console.log(unloadText(ref, remove));
    showSlot(state, json);
  });

export const listReleases = ({ json }: Json): Promise<void> =>
  asSwapper(async ({ operate }) => {
    const slots = await operate.list();
    if (json) return console.log(JSON.stringify(slots));
    for (const line of releaseTable(slots.flatMap(({ releases }) => releases))) console.log(line);
  });

export const applyFile = ({
  file,
  dryRun = false,
  json,
}: Json & { readonly file: string; readonly dryRun?: boolean }): Promise<void> => {
  const wanted = fileOf(file);
  return asSwapper(async ({ operate, registry, by }) => {
    const applied = await applyModels({ operate, registry }, { ...wanted, dry_run: dryRun }, by);
    if (json) return console.log(JSON.stringify(applied));
    for (const { action, release, detail } of applied.steps)
      console.log(`${dryRun ? 'would ' : ''}${action} ${release} ${detail}`.trimEnd());
    if (applied.steps.length === 0) console.log('All is as the file says; nothing was done.');
  });
};

export const showLog = ({ limit, json }: Json & { readonly limit: number }): Promise<void> =>
  asSwapper(async ({ operate }) => {
    const entries = await operate.log(limit);
    if (json) return console.log(JSON.stringify(entries));
    if (entries.length === 0) console.error('Nobody has changed the releases yet.');
    for (const { at, by, action, slot, release, detail } of entries)
      console.log(`${at}  ${by}  ${action} ${release ? written(slot, release) : slot}  ${detail}`);
  });

/** Paths in the file are relative to it. */
const fileOf = (file: string): ModelsFile => {
  const { data, error } = ModelsFile.safeParse(yamlIn(file), { error: expected });
  if (error) {
    const faults = error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new Refused(`${file} has faults:\n${faults.join('\n')}`);
  }
  for (const { releases } of Object.values(data.slots)) {
    for (const release of releases)
      if (release.path) release.path = resolve(file, '..', release.path);
  }
  return data;
};

const yamlIn = (file: string): unknown => {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Refused(
      `${file} could not be read: ${error instanceof Error ? error.message : error}`,
    );
  }
};

const showChecks = ({ checks }: Pick<AddedRelease, 'checks'> | Checked): void => {
  for (const { name, ok, detail, ms } of checks)
    console.log(`${ok ? 'passed' : 'FAILED'}  ${name.padEnd(9)} ${Math.round(ms)} ms  ${detail}`);
};

const showSlot = (state: SlotState, json = false): void => {
  const { slot, stable, candidate, previous } = state;
  const told = {
    slot,
    stable: written(slot, stable),
    candidate: candidate && { ...candidate, release: written(slot, candidate.release) },
    previous: previous && written(slot, previous),
  };
  if (json) {
    console.log(JSON.stringify(told));
    return;
  }
  const trial = candidate ? `, ${candidate.percent} % of them ${told.candidate?.release}` : '';
  const back = previous ? ` (enhance models rollback ${slot} goes back to ${told.previous})` : '';
  console.log(`New ${slot} jobs get ${told.stable}${trial}.${candidate ? '' : back}`);
};
