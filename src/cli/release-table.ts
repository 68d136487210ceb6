/** All releases as lines of aligned columns. Pure. */
import type { AdminRelease } from '../contract/releases.ts';

export const releaseTable = (releases: readonly AdminRelease[]): string[] => {
  const rows = releases.map(rowOf);
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

const rowOf = (one: AdminRelease): string[] => {
  const { release, alias, loaded, ready_on, rejected, licence } = one;
  const state = rejected ? 'taken back' : loaded ? `ready on ${ready_on.length}` : 'unloaded';
  const of = licence ?? 'ships with the service';
  return [release, alias ?? '-', state, attemptsText(one), of];
};

const attemptsText = ({ attempts }: AdminRelease): string => {
  const { done, failed, mirrored, likeness_db } = attempts;
  const like = likeness_db === null ? '' : ` (${likeness_db} dB alike)`;
  return `${done} done, ${failed} failed${mirrored > 0 ? `, ${mirrored} mirrored${like}` : ''}`;
};
