import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the set-up and the local stack keep their things. */
const home = process.env.ENHANCE_HOME ?? '.enhance';

/**
 * The environment of the running local stack: its own variables, and the secrets that it made for itself.
 * What is set in the process's environment wins, as in a container.
 */
export const stackEnvironment = (): NodeJS.ProcessEnv => ({
  ...secretsIn(join(home, 'data', 'secrets.env')),
  ...process.env,
});

/** The development key that `npm start` made, for calls without ENHANCE_API_KEY. */
export const developmentKey = (): string | undefined => {
  const file = join(home, 'data', 'dev-key');
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
};

const secretsIn = (file: string): Record<string, string> => {
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('='));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
};
