import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { places } from '../stack/home.mjs';

/**
 * The environment of the local stack that `npm start` runs: its secrets and its addresses. Variables of the process
 * itself take precedence, as in a container.
 */
export const stackEnvironment = (): NodeJS.ProcessEnv => ({
  DATA_DIR: places.data,
  TRITON_GRPC_DESCRIPTORS: places.grpcDescriptors,
  ...variablesIn('secrets.env'),
  ...variablesIn('stack.env'),
  ...process.env,
});

/** The API key that `npm start` created, used where neither --key nor ENHANCE_API_KEY is given. */
export const developmentKey = (): string | undefined => {
  const file = join(places.data, 'dev-key');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
};

const variablesIn = (name: string): NodeJS.Dict<string> => {
  const file = join(places.data, name);
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
};
