/** What an attack sent, kept so that the same bytes can be sent again by hand. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { places } from '../../../src/stack/home.mjs';
import { type Attack, headOf, marks } from './attack.ts';

/** The folder of a test run is removed at its end; the logs stay. */
const folder = join(places.logs, 'fuzz');

/** Writes a script and the bytes that it sends; answers the script's path. */
export const keep = (attack: Attack, seed: number, index: number): string => {
  const name = `${seed}-${index}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.head`), headOf(attack), 'latin1');
  writeFileSync(join(folder, `${name}.body`), attack.body);
  const script = join(folder, `${name}.sh`);
  writeFileSync(script, scriptOf(name));
  return script;
};

const scriptOf = (name: string): string => `#!/usr/bin/env bash
# usage: HOST=127.0.0.1 PORT=8080 KEY=<key> ADMIN_KEY=<key> bash ${name}.sh
cd "$(dirname "$0")" || exit 1
exec 3<>"/dev/tcp/$HOST/$PORT"
{
  LC_ALL=C sed "s/${marks.key}/$KEY/; s/${marks.adminKey}/$ADMIN_KEY/" ${name}.head
  cat ${name}.body
} >&3
timeout 15 cat <&3
`;
