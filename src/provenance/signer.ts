/** Signs results with content credentials (C2PA): as the last step of a job, before its result is stored. */
import { readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Warning } from '../contract/job.ts';
import type { Provenance } from '../contract/provenance.ts';
import { EnvironmentError } from '../environment/environment-error.ts';
import { Failure } from '../errors.ts';
import type { Log } from '../log.ts';
import { contentTypeOf } from '../media/probe/identify.ts';
import { Credentials } from './credentials.ts';
import type { Edit } from './edit.ts';
import { askPython, ProvenanceFault, type Python, startPython, type Waiting } from './python.ts';

/** A file that is to be signed, in its place. */
type Unsigned = {
  readonly contentType: string;
  readonly edit: Edit;
  /** The path of the input in a role. */
  readonly input: (role: string) => string;
  /** What made it, such as "lipsync balanced", and its release, such as "balanced@r1". */
  readonly agent: { readonly name: string; readonly version: string };
};

/** `provenance`: null where the format holds no credentials, which a warning says. */
type Signed = {
  readonly provenance: Provenance | null;
  readonly warnings: readonly Warning[];
};

export type Signer = {
  /** See `signedBy` of the configuration. */
  readonly signedBy: string;
  /** Makes ready to sign what is still to be written at this path. */
  prepare(path: string, signal: AbortSignal): Signing;
};

/** What signs one file. */
type Signing = {
  /** Failure signing_failed; the file is unchanged then. */
  sign(file: Unsigned): Promise<Signed>;
  /** Has to be called in the end, whether the file was signed or not. */
  close(): Promise<void>;
};

/** Hashing a file of some GB takes seconds; a process that needs more than this hangs. */
const CPU_SECONDS = 600;

/**
 * The signer that the configuration names; null when it turns credentials off. Throws an EnvironmentError when its
 * certificate cannot sign, which one pixel finds out.
 */
export const openSigner = async (
  { provenance, ffmpeg }: Pick<Config, 'provenance' | 'ffmpeg'>,
  log: Log,
): Promise<Signer | null> => {
  if (provenance === null) return null;
  const python = { path: provenance.python, limits: { ...ffmpeg, cpuSeconds: CPU_SECONDS } };
  const identity = await identityOf(provenance, python);
  if (provenance.identity === null)
    log.warn(
      { folder: provenance.developmentDir },
      'content credentials are signed with a certificate for development, which no reader trusts; PROVENANCE_CERTIFICATE names a real one',
    );
  const { version } = Package.parse(JSON.parse(readFileSync(packageFile, 'utf8')));
  return {
    signedBy: provenance.signedBy,
    prepare: (path, signal) => {
      const waiting = startPython(besides(python, path), signal);
      const means = { path, waiting, identity, version, signal };
      return { sign: (file) => signFile(file, means), close: waiting.stop };
    },
  };
};

const packageFile = new URL('../../package.json', import.meta.url);
const Package = z.object({ version: z.string() });
const Identity = z.strictObject({ certificate: z.string(), key: z.string() });
type Identity = z.infer<typeof Identity>;
const Checked = z.strictObject({ issuer: z.string(), signer: z.string(), algorithm: z.string() });

const identityOf = async (
  { identity, developmentDir }: NonNullable<Config['provenance']>,
  python: Python,
): Promise<Identity> => {
  const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
  try {
    const made = { ask: 'certificate', folder: developmentDir } as const;
    const used = identity ?? (await askPython(made, Identity, python, signal));
    await askPython({ ask: 'check', ...used }, Checked, python, signal);
    return used;
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    throw new EnvironmentError(
      `Content credentials cannot be signed with PROVENANCE_CERTIFICATE, PROVENANCE_PRIVATE_KEY and PROVENANCE_PYTHON${reason}. PROVENANCE=off does without.`,
      { cause },
    );
  }
};
const CHECK_WITHIN_MS = 60_000;

type Means = {
  readonly path: string;
  readonly waiting: Waiting;
  readonly identity: Identity;
  readonly version: string;
  readonly signal: AbortSignal;
};

const Answer = z.union([
  z.strictObject({ unsupported: z.string() }),
  Credentials.extend({ unreadable: z.array(z.string()) }),
]);

const signFile = async (
  { contentType, edit, input, agent }: Unsigned,
  { path, waiting, identity, version, signal }: Means,
): Promise<Signed> => {
  const target = `${path}.signed`;
  try {
    const ingredients = edit.ingredients.map(async ({ role, title, relationship }) => ({
      label: role,
      path: input(role),
      content_type: await contentTypeOf(input(role)),
      about: { title, relationship },
    }));
    const told = {
      content_type: contentType,
      manifest: manifestOf(edit, agent, version),
      ingredients: await Promise.all(ingredients),
    };
    const question = { ask: 'sign', source: path, target, edit: told, ...identity } as const;
    const answer = await waiting.ask(question, Answer);
    if ('unsupported' in answer) return unsupported(answer.unsupported);
    await rename(target, path);
    return signedAs(answer, edit);
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof ProvenanceFault)) throw cause;
    throw new Failure('signing_failed', { reason: cause.message }, { cause });
  } finally {
    await rm(target, { force: true });
  }
};

/** The library writes files above 512 MB aside while it signs; /tmp of a container is small, and in memory. */
const besides = ({ path: program, limits }: Python, file: string): Python => ({
  path: program,
  limits: { ...limits, environment: { ...limits.environment, TMPDIR: dirname(file) } },
});

const IPTC = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

/** The claim in the words of the library. Whatever else went into a file, its first action opens the parent. */
const manifestOf = (edit: Edit, agent: Unsigned['agent'], version: string) => {
  const actions = edit.ingredients.map(({ role, relationship }) => ({
    action: relationship === 'parentOf' ? 'c2pa.opened' : 'c2pa.placed',
    parameters: { ingredientIds: [role] },
  }));
  const edited = {
    action: 'c2pa.edited',
    description: edit.description,
    digitalSourceType: `${IPTC}${edit.sourceType}`,
    softwareAgent: agent,
  };
  const data = { actions: [...actions, edited] };
  return {
    claim_generator_info: [{ name: 'enhance', version }],
    assertions: [{ label: 'c2pa.actions', data }],
  };
};

const unsupported = (contentType: string): Signed => ({
  provenance: null,
  warnings: [
    {
      code: 'provenance_not_supported',
      detail: `Content credentials cannot be written into ${contentType}: the result carries none.`,
    },
  ],
});

const signedAs = (
  {
    manifest,
    issuer,
    signer,
    ingredients,
    unreadable,
  }: z.infer<typeof Credentials> & {
    readonly unreadable: readonly string[];
  },
  { sourceType, ingredients: used }: Edit,
): Signed => ({
  provenance: {
    signed: true,
    issuer,
    signer,
    manifest,
    digital_source_type: `${IPTC}${sourceType}`,
    ingredients: ingredients.map(({ title, relationship, credentials }) => ({
      title,
      relationship,
      credentials,
    })),
  },
  warnings: used
    .filter(({ role }) => unreadable.includes(role))
    .map(({ title }) => ({
      code: 'provenance_unreadable',
      detail: `Whether the ${title} has content credentials could not be read, as it is damaged or unusual there; those of the result name the ${title} without any.`,
    })),
});
