/** Who changed the releases, and how. */
import type { ReleaseLog } from '../../src/contract/releases.ts';
import { button, make } from '../dom.ts';
import { timeText } from '../words.ts';
import { ask } from './ask.ts';
import { card, createSaid, list, row } from './section.ts';

/** What the service tells at most. */
const MOST = 1000;

export const releaseLog = () => {
  const said = createSaid();
  const place = make('div');
  let limit = 20;

  const load = (): Promise<void> =>
    said.trying(async () => {
      const { data } = await ask<ReleaseLog>(`/v1/admin/models/log?limit=${limit}`);
      const rows = data.map(({ at, by, action, slot, release, detail }) =>
        row(
          [make('strong', {}, action), ` ${release === null ? slot : `${slot}@${release}`}`],
          [detail, by, timeText(at)],
        ),
      );
      const more = button('Show more', () => {
        limit = Math.min(MOST, limit * 4);
        return load();
      });
      const isMore = data.length === limit && limit < MOST;
      place.replaceChildren(list(rows, 'No release was changed yet.'), ...(isMore ? [more] : []));
    });

  return { element: card('Who changed what', said.element, place), load };
};
