/** The licence of a release: someone has to have named it. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import parseSpdx from 'spdx-expression-parse';
import { refused } from '../refused.ts';

const licenceFile = /^(licen[cs]e|copying)(\.(md|txt))?$/i;

/**
 * The SPDX expression as it was named, or `SEE LICENSE IN LICENSE` for a file of the release, as npm writes it.
 * Throws Failure release_refused when there is neither, or the name is not in the list of SPDX.
 */
export const licenceOf = async (named: string | undefined, folder: string): Promise<string> => {
  if (named !== undefined) return spdx(named);
  for (const name of await readdir(folder)) {
    if (!licenceFile.test(name)) continue;
    const { size } = await stat(join(folder, name));
    if (size > 0) return `SEE LICENSE IN ${name}`;
  }
  throw refused(
    'no licence is named: expected one with --licence (an SPDX identifier such as MIT), or a file LICENSE in the folder',
  );
};

/** Whether a licence was named. */
export const isNamed = (licence: string): boolean => {
  if (/^SEE LICENSE IN \S/.test(licence)) return true;
  try {
    parseSpdx(licence);
    return true;
  } catch {
    return false;
  }
};

const spdx = (named: string): string => {
  try {
    parseSpdx(named);
    return named;
  } catch (cause) {
    throw refused(
      `the licence is unknown: expected an SPDX expression such as MIT, Apache-2.0 or LicenseRef-of-our-own, got "${named}"`,
      cause,
    );
  }
};
