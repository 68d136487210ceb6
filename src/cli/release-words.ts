/** The words in which the commands for releases show what there is, and what became of one. Pure. */
import type { AdminRelease } from '../contract/releases.ts';
import { aligned } from './aligned.ts';

export const unloadText = (ref: string, isDeleted: boolean): string =>
  isDeleted
    ? `${ref} is unloaded, and its files are deleted.`
    : `${ref} is unloaded. Its files stay: enhance models unload ${ref} --delete removes them.`;

/** All releases as lines of aligned columns. */
export const releaseTable = (releases: readonly AdminRelease[]): string[] =>
  aligned(releases.map(rowOf));

const rowOf = (one: AdminRelease): string[] => {
  const { release, alias, loaded, ready_on, rejected, licence } = one;
  const state = rejected ? 'taken back' : loaded ? `ready on ${ready_on.length}` : 'unloaded';
  const of = licence ?? 'ships with the service';
  return [release, alias ?? '-', state, attemptsText(one), of];
};

const attemptsText = ({ attempts }: AdminRelease): string => {
  const { done, failed, mirrored, likeness_db } = attempts;
  const like = likeness_db === null ? '' : ` (${likeness_db} dB alike)`;
  return `${done} done, ${failed} failed by its fault${mirrored > 0 ? `, ${mirrored} mirrored${like}` : ''}`;
};
