/** Models and their releases: what is stable, what is on trial, and the moves between them. */
import type { AdminSlot, AdminSlotList, CheckedRelease } from '../../src/contract/releases.ts';
import { button, make } from '../dom.ts';
import { ask } from './ask.ts';
import { confirmed } from './confirm.ts';
import { releaseLog } from './release-log.ts';
import { type Move, releaseRow } from './release-row.ts';
import { card, createSaid, list, row, type Section } from './section.ts';

export const modelsSection = (): Section => {
  const said = createSaid();
  const place = make('div');
  const log = releaseLog();
  let slots: AdminSlotList['data'] = [];
  /** What is being done, by the name of the release; the list may be made anew meanwhile. */
  const underWay = new Map<string, string>();

  const draw = (): void => place.replaceChildren(...slots.map(slotView));
  const show = ({ data }: AdminSlotList): void => {
    slots = data;
    draw();
  };
  const load = async (): Promise<void> => {
    await said.trying(async () => show(await ask<AdminSlotList>('/v1/admin/models')));
    await log.load();
  };

  /** Says what is done with a release as long as that takes: loading and checking one may take minutes. */
  const during = async <T>(release: string, doing: string, work: () => Promise<T>): Promise<T> => {
    underWay.set(release, doing);
    draw();
    said.busy(doing);
    try {
      return await work();
    } finally {
      underWay.delete(release);
      draw();
    }
  };

  const move = ({ path, body, release = '', doing, done }: Move): Promise<void> =>
    said.trying(async () => {
      const moved = await during(release, doing, () =>
        ask<AdminSlotList>(`/v1/admin/models/${path}`, { method: 'POST', body }),
      );
      show(moved);
      await log.load();
      said.good(done);
    });

  const check = (release: string): Promise<void> =>
    said.trying(async () => {
      const { checks } = await during(release, `Checking ${release} …`, () =>
        ask<CheckedRelease>('/v1/admin/models/check', { method: 'POST', body: { release } }),
      );
      await load();
      const failed = checks.filter(({ ok }) => !ok);
      const rows = checks.map(({ name, ok, detail }) =>
        row([make('strong', {}, `${name}: ${ok ? 'passed' : 'FAILED'}`)], [detail]),
      );
      said.good(
        failed.length > 0 ? `${release} has not passed.` : `${release} has passed its checks.`,
        list(rows, ''),
      );
    });

  const slotView = (slot: AdminSlot): HTMLElement => {
    const { candidate } = slot;
    const trial = candidate
      ? `; ${candidate.percent} % of them get ${candidate.release}${candidate.mirror > 0 ? `, which also does ${candidate.mirror} % of the others again, to be compared` : ''}`
      : '';
    return make(
      'section',
      { class: 'field' },
      make('h3', {}, slot.slot),
      make('p', {}, `New jobs get ${slot.stable}${trial}.`),
      rollbackButton(slot),
      list(
        slot.releases.map((release) =>
          releaseRow({ release, slot, doing: underWay.get(release.release), move, check }),
        ),
        'It has no release.',
      ),
    );
  };

  const rollbackButton = ({ slot, stable, previous, candidate }: AdminSlot): HTMLElement | null => {
    if (!candidate && !previous) return null;
    const verb = candidate ? 'End the trial' : `Roll back to ${previous}`;
    const text = candidate
      ? `No new job gets ${candidate.release} any more. Jobs that run finish on theirs.`
      : `New jobs get ${previous} in place of ${stable}. Jobs that run finish on theirs.`;
    return button(
      verb,
      async () => {
        if (await confirmed({ title: `${verb}?`, text, verb }))
          await move({
            path: 'rollback',
            body: { slot },
            doing: `${verb}: ${slot} …`,
            done: `${slot}: done.`,
          });
      },
      { 'aria-label': `${verb}: ${slot}` },
    );
  };

  const element = make('div', {}, card('Models and releases', said.element, place), log.element);
  return { title: 'Models', element, load };
};
