/** Under which names a release lies on the disk, in Triton and in the cache. */
import { z } from 'zod';
import { refused } from './refused.ts';

/** What a new release may not have. */
export type Taken = {
  readonly names: readonly string[];
  readonly versions: readonly string[];
  /** Written as `photo@r2`. */
  readonly releases: readonly string[];
};

type Named = { readonly slot: string; readonly release: string };

/** The short name of a release. With its slot it is written `photo@r2`. */
export const ReleaseName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,31}$/, 'Expected a release such as "r2"');

/** The release as it was asked for, or the first free one. */
export const releaseFor = (
  { slot, release }: { readonly slot: string; readonly release?: string | undefined },
  tritonSlots: readonly string[],
  taken: Taken,
): string => {
  const clash = (name: string): string | undefined =>
    taken.releases.includes(`${slot}@${name}`)
      ? `${slot}@${name}`
      : tritonSlots
          .flatMap((one) => [nameOf(one, name), versionOf(one, { slot, release: name })])
          .concat(folderOf({ slot, release: name }))
          .find((one) => taken.names.includes(one) || taken.versions.includes(one));
  if (release === undefined) {
    let number = 2;
    while (clash(`r${number}`)) number += 1;
    return `r${number}`;
  }
  if (!ReleaseName.safeParse(release).success)
    throw refused(
      `expected a release such as r2 (small letters, digits, "." and "-"), got "${release}"`,
    );
  const taker = clash(release);
  if (taker) throw refused(`the release ${release} is taken: there is ${taker} already`);
  return release;
};

export const nameOf = (tritonSlot: string, release: string): string => `${tritonSlot}__${release}`;
/** The models of lip sync that ship have versions such as mouth_plan-r2, and several slots share them. */
export const versionOf = (tritonSlot: string, { slot, release }: Named) =>
  tritonSlot === slot ? `${slot}-${release}` : `${tritonSlot}-${slot}-${release}`;

/** The folder of release.json, which is the model's own where the release has one model of the slot's name. */
export const folderOf = ({ slot, release }: Named): string => `${slot}__${release}`;
