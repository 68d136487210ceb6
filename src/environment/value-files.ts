/** Variables whose values lie in files: NAME_FILE names the file that holds NAME, as Docker and Kubernetes mount secrets. */
import { readFileSync } from 'node:fs';
import { EnvironmentError } from './environment-error.ts';

/** The environment with these variables taken from their files. Throws an EnvironmentError that lists every fault and shows no value. */
export const withFiles = (env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv => {
  const found: NodeJS.ProcessEnv = { ...env };
  const faults: string[] = [];
  for (const name of names) {
    const path = env[`${name}_FILE`];
    if (!path) continue;
    try {
      if (env[name]) throw new Error(`expected ${name} or ${name}_FILE, not both`);
      found[name] = valueIn(path);
      delete found[`${name}_FILE`];
    } catch (error) {
      faults.push(`${name}_FILE: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (faults.length > 0) throw EnvironmentError.of(faults);
  return found;
};

/** Without the line end that editors and `echo` add. */
const valueIn = (path: string): string => {
  const value = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  if (value === '') throw new Error(`expected a value in "${path}"; it is empty`);
  return value;
};
