/** `enhance verify FILE`: what content credentials a file carries. Needs neither the service nor a key. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Credentials, Found } from '../provenance/credentials.ts';
import { ProvenanceFault, type Python } from '../provenance/python.ts';
import { readCredentials } from '../provenance/verify.ts';
import { places } from '../stack/home.mjs';
import { stackEnvironment } from './home.ts';
import { Refused } from './refused.ts';

type Options = { readonly trust?: string; readonly json?: boolean };

/** Ends with exit code 1 unless the credentials are there and true of the file. */
export const verify = async (file: string, { trust, json }: Options): Promise<void> => {
  const anchors = trust === undefined ? '' : certificatesIn(trust);
  const found = await read(fileAt(file), anchors);
  console.log(json ? JSON.stringify(found) : told(file, found));
  if (found.state !== 'valid' && found.state !== 'trusted') process.exitCode = 1;
};

const fileAt = (path: string): string => {
  if (!existsSync(path)) throw new Refused(`There is no file ${path}.`);
  if (!statSync(path).isFile()) throw new Refused(`${path} is not a file.`);
  return resolve(path);
};

const certificatesIn = (path: string): string => {
  const text = readFileSync(fileAt(path), 'utf8');
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Refused(`Expected certificates in PEM in ${path}; there is none.`);
  return text;
};

/** Enough for a video of some GB, which is hashed. */
const WITHIN_MS = 600_000;
const MEMORY_BYTES = 4 * 1024 ** 3;

const read = async (path: string, anchors: string): Promise<Found> => {
  const { PROVENANCE_PYTHON, FFMPEG_NETWORK, PATH = '' } = stackEnvironment();
  const python: Python = {
    path: PROVENANCE_PYTHON || (existsSync(places.python) ? places.python : 'python3'),
    limits: {
      memoryBytes: MEMORY_BYTES,
      cpuSeconds: WITHIN_MS / 1000,
      environment: { PATH, LC_ALL: 'C.UTF-8' },
      network: FFMPEG_NETWORK === 'open' ? 'open' : 'blocked',
    },
  };
  try {
    return await readCredentials(path, anchors, python, AbortSignal.timeout(WITHIN_MS));
  } catch (error) {
    if (!(error instanceof ProvenanceFault)) throw error;
    throw new Refused(`The content credentials could not be read: ${error.message}.`);
  }
};

const verdicts: Readonly<Record<Found['state'], string>> = {
  trusted: 'valid, and the signer is trusted',
  valid: 'valid; whether to trust the signer is for you to decide (--trust)',
  invalid:
    'NOT valid: the file or its credentials were changed after signing, or the certificate is not good',
  unreadable: 'damaged: they cannot be read',
  none: 'none: the file carries no content credentials',
  unsupported: 'none: a file of this format can carry no content credentials',
};

const told = (file: string, found: Found): string => {
  const faults = found.faults.map(({ code, detail }) => `  fault      ${code}: ${detail}`);
  const verdict = `${file}: ${verdicts[found.state]}`;
  const says = 'manifest' in found ? claims(found) : [];
  return [verdict, ...says, ...faults].map(printable).join('\n');
};

/** The words of a file may be meant for a terminal, to move its cursor or worse. */
const printable = (line: string): string => line.replace(/\p{Cc}/gu, '\uFFFD');

const claims = ({ issuer, signer, generator, actions, ingredients }: Credentials): string[] => [
  `  signed by  ${signer} (${issuer})`,
  `  made with  ${generator}`,
  ...actions.map(({ action, description, digital_source_type, agent }) => {
    const source = digital_source_type.split('/').at(-1) ?? '';
    const about = [agent && `by ${agent}`, source, description].filter(Boolean).join('; ');
    return `  action     ${action}${about && `: ${about}`}`;
  }),
  ...ingredients.map(
    ({ title, relationship, credentials }) =>
      `  made from  ${title} (${relationship}), whose own credentials: ${credentials}`,
  ),
];
