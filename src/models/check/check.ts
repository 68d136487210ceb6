/** What a release has to pass on one Triton that has loaded it, before any caller gets it. See decision 21. */
import { Failure } from '../../errors.ts';
import { type LoadedModel, loadedAs, type Slot } from '../../triton/clients/model.ts';
import type { Control } from '../../triton/protocol/control.ts';
import type { Transport } from '../../triton/protocol/transport.ts';
import { isNamed } from '../pack/licence.ts';
import { type Manifest, verifyFiles } from '../pack/release-folder.ts';
import { type Proof, proofOf } from './proof.ts';

export type CheckResult = {
  readonly name: 'files' | 'licence' | 'contract' | 'warm-up' | 'golden' | 'memory';
  readonly ok: boolean;
  /** What was found; where it is not ok, what was expected too. */
  readonly detail: string;
  readonly ms: number;
  /** For `memory`: the most that the processes of its models have taken, together. */
  readonly bytes?: number;
};

export type CheckBounds = {
  /** The longest time for each request of the check, also for the first ones, which a model answers most slowly. */
  readonly warmUpMs: number;
  readonly memoryBytes: number;
  /** The least signal-to-noise ratio of the golden picture, in dB. */
  readonly goldenDb: number;
};

type CheckParts = {
  readonly manifest: Manifest;
  /** The Triton slots of the release's slot. */
  readonly slots: readonly Slot[];
  readonly modelsDir: string;
  /** The model control of one Triton. */
  readonly control: Control;
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly bounds: CheckBounds;
};

/** Every check that could be made, in order; after a contract that is broken none could. Throws the signal's reason on abort. */
export const checkRelease = async (parts: CheckParts): Promise<CheckResult[]> => {
  const { manifest, modelsDir, signal } = parts;
  const results: CheckResult[] = [];
  const check = async (name: CheckResult['name'], found: () => Promise<Finding>) => {
    signal.throwIfAborted();
    const from = performance.now();
    const finding = await outcome(found, signal);
    results.push({ name, ...finding, ms: Math.round(performance.now() - from) });
    return finding.ok;
  };
  await check('files', () => files(modelsDir, manifest));
  await check('licence', async () => ({ ok: isNamed(manifest.licence), detail: manifest.licence }));
  const models: LoadedModel[] = [];
  const fits = await check('contract', () => contract(parts, models));
  if (!fits) return results;
  const proofs = models.map((loaded) => ({ loaded, proof: proofOf(loaded, parts) }));
  if (!(await check('warm-up', () => warmUp(proofs, parts)))) return results;
  await check('golden', () => golden(proofs));
  await check('memory', () => memory(proofs, parts));
  return results;
};

type Finding = Pick<CheckResult, 'ok' | 'detail' | 'bytes'>;
type Proven = { readonly loaded: LoadedModel; readonly proof: Proof };

/** A failure of the models is a finding; everything else is not ours. */
const outcome = async (found: () => Promise<Finding>, signal: AbortSignal): Promise<Finding> => {
  try {
    return await found();
  } catch (error) {
    if (signal.aborted || !(error instanceof Failure)) throw error;
    // A model that is unavailable says why in its cause.
    const { code, message, cause } = error;
    const why = code === 'model_unavailable' && cause instanceof Error ? cause.message : message;
    // Part of a longer sentence, as all findings are.
    return { ok: false, detail: why.replace(/\.$/, '') };
  }
};

const files = async (modelsDir: string, manifest: Manifest): Promise<Finding> => {
  const differences = await verifyFiles(modelsDir, manifest);
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  const same = `${manifest.files.length} files with ${bytes} bytes, as their hashes say`;
  return { ok: differences.length === 0, detail: differences.join('; ') || same };
};

/** Against the config that the server itself has; fills `models`. */
const contract = async (
  { manifest, slots, control }: CheckParts,
  models: LoadedModel[],
): Promise<Finding> => {
  const faults: string[] = [];
  for (const [tritonSlot, { name, version }] of Object.entries(manifest.models)) {
    const slot = slots.find((one) => one.name === tritonSlot);
    if (!slot) faults.push(`the slot ${manifest.slot} has no models in ${tritonSlot}`);
    else {
      const loaded = loadedAs(slot, await control.modelConfig(name));
      if (loaded.release === version) models.push(loaded);
      else faults.push(`${name}: expected the release "${version}", got "${loaded.release}"`);
    }
  }
  const fits = `${models.map(({ name }) => name).join(', ')}: inputs, outputs and parameters as the contract says`;
  return { ok: faults.length === 0, detail: faults.join('; ') || fits };
};

const warmUp = async (
  proofs: readonly Proven[],
  { control, bounds }: CheckParts,
): Promise<Finding> => {
  for (const { loaded, proof } of proofs) {
    const answer = await control.tell(loaded.name, 'ping', bounds.warmUpMs);
    if (answer !== '') return { ok: false, detail: unlike(loaded, 'ping', answer) };
    await proof.warmUp();
  }
  return { ok: true, detail: `first requests answered within ${bounds.warmUpMs / 1000} s each` };
};

const golden = async (proofs: readonly Proven[]): Promise<Finding> => {
  const findings: Finding[] = [];
  for (const { proof } of proofs) findings.push(await proof.golden());
  return {
    ok: findings.every(({ ok }) => ok),
    detail: findings.map(({ detail }) => detail).join('; '),
  };
};

const memory = async (
  proofs: readonly Proven[],
  { control, bounds }: CheckParts,
): Promise<Finding> => {
  let bytes = 0;
  for (const { loaded, proof } of proofs) {
    await proof.work();
    const answer = await control.tell(loaded.name, 'memory', bounds.warmUpMs);
    const told = /^memory: (\d+) bytes$/.exec(answer)?.[1];
    if (told === undefined) return { ok: false, detail: unlike(loaded, 'memory', answer) };
    bytes += Number(told);
  }
  const detail = `${megabytes(bytes)} MB of memory at most; the bound is ${megabytes(bounds.memoryBytes)} MB`;
  return { ok: bytes <= bounds.memoryBytes, detail, bytes };
};

/** As in the settings: 1 MB is 1024 x 1024 bytes. */
const megabytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

const unlike = ({ name }: LoadedModel, what: string, answer: string): string =>
  `${name}: expected its model.py to answer "${what}" as inference/serving/shell.py does, got "${answer}"`;
