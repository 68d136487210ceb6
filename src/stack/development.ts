/** The development account of `npm start`: 10,000 credits, an API key, and a first call to try. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { environmentFor } from './allowed.ts';
import { writePrivate } from './environment.ts';
import { places, root } from './home.mjs';

const run = promisify(execFile);
export const keyFile = join(places.data, 'dev-key');

/** The API key of the account `dev`: kept between starts, created when the service does not know it. */
export const developmentKey = async (address: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const kept = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : '';
  if (kept && (await isKnown(address, kept))) return kept;
  const command = ['keys', 'create', '--account', 'dev', '--credits', '10000', '--json'];
  const { stdout } = await run(process.execPath, ['src/cli/bin.mjs', ...command], {
    env: environmentFor('service', env),
    cwd: root,
    timeout: 30_000,
  });
  const { key } = JSON.parse(stdout);
  if (typeof key !== 'string')
    throw new Error(`Expected a key from enhance keys create; got ${stdout}`);
  writePrivate(keyFile, `${key}\n`);
  return key;
};

const isKnown = async (address: string, key: string): Promise<boolean> => {
  const answer = await fetch(`${address}/v1/credits`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(10_000),
  });
  return answer.ok;
};

/** The text that is printed when the stack is ready. */
export const welcome = (address: string, key: string): string => `
  enhance is ready at ${address}

  key   ${key}
  try   curl -H "Authorization: Bearer ${key}" -F model=photo -F scale=2 -F image=@${places.sample} ${address}/v1/upscale
  logs  ${places.logs}
  stop  Ctrl-C
`;
