/** Models and their releases: what is stable, what is on trial, and the moves between them. */
import type {
  AdminRelease,
  AdminSlot,
  AdminSlotList,
  CheckedRelease,
} from '../../src/contract/releases.ts';
import { button, make } from '../dom.ts';
import { ask } from './ask.ts';
import { confirmed } from './confirm.ts';
import { checkbox, field, input } from './inputs.ts';
import { releaseLog } from './release-log.ts';
import { card, createSaid, list, row, type Section } from './section.ts';

type Move = {
  readonly path: 'canary' | 'promote' | 'rollback' | 'unload';
  readonly body: Readonly<Record<string, unknown>>;
  readonly done: string;
};

export const modelsSection = (): Section => {
  const said = createSaid();
  const place = make('div');
  const log = releaseLog();

  const show = ({ data }: AdminSlotList): void => place.replaceChildren(...data.map(slotView));
  const load = async (): Promise<void> => {
    await said.trying(async () => show(await ask<AdminSlotList>('/v1/admin/models')));
    await log.load();
  };

  const move = ({ path, body, done }: Move): Promise<void> =>
    said.trying(async () => {
      show(await ask<AdminSlotList>(`/v1/admin/models/${path}`, { method: 'POST', body }));
      await log.load();
      said.good(done);
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
        slot.releases.map((release) => releaseRow(release, slot)),
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
          await move({ path: 'rollback', body: { slot }, done: `${slot}: done.` });
      },
      { 'aria-label': `${verb}: ${slot}` },
    );
  };

  const releaseRow = (release: AdminRelease, slot: AdminSlot): HTMLElement => {
    const { alias, rejected, loaded, shipped } = release;
    const isFree = alias !== 'stable' && rejected === null;
    return row([make('strong', {}, release.release), alias && ` · ${alias}`], aboutOf(release), [
      isFree && canaryButton(release, slot),
      isFree && promoteButton(release),
      alias === null && loaded && unloadButton(release),
      !shipped && checkButton(release),
    ]);
  };

  const canaryButton = ({ release }: AdminRelease, { slot, candidate }: AdminSlot): HTMLElement =>
    button(
      'Try',
      async () => {
        const percent = input({ type: 'number', min: 0.01, max: 100, step: 'any', required: true });
        const mirror = input({ type: 'number', min: 0, max: 100, step: 'any', required: true });
        percent.valueAsNumber = candidate?.release === release ? candidate.percent : 5;
        mirror.valueAsNumber = candidate?.release === release ? candidate.mirror : 0;
        const isSure = await confirmed({
          ...{ title: `Put ${release} on trial?`, verb: 'Start the trial' },
          text: `Some of the new ${slot} jobs get it. It is loaded and checked first.`,
          inputs: [
            field('Percent of new jobs', percent),
            field(
              'Percent that is done again',
              mirror,
              'Of the other jobs, uncharged, to compare the results.',
            ),
          ],
        });
        const body = { release, percent: percent.valueAsNumber, mirror: mirror.valueAsNumber };
        if (isSure) await move({ path: 'canary', body, done: `${release} is on trial.` });
      },
      { 'aria-label': `Try ${release}` },
    );

  const promoteButton = ({ release }: AdminRelease): HTMLElement =>
    button(
      'Promote',
      async () => {
        const text =
          'All new jobs get it. It is loaded and checked first; jobs that run finish on theirs.';
        if (await confirmed({ title: `Promote ${release}?`, text, verb: 'Promote' }))
          await move({ path: 'promote', body: { release }, done: `New jobs get ${release}.` });
      },
      { 'aria-label': `Promote ${release}` },
    );

  const unloadButton = ({ release, shipped }: AdminRelease): HTMLElement =>
    button(
      'Unload',
      async () => {
        const files = checkbox('Delete its files too');
        const isSure = await confirmed({
          ...{ title: `Unload ${release}?`, verb: 'Unload' },
          text: 'Its memory is given back. It is refused while an unfinished job needs it.',
          inputs: shipped ? [] : [files.element],
        });
        const body = { release, delete: files.box.checked };
        if (isSure) await move({ path: 'unload', body, done: `${release} is unloaded.` });
      },
      { 'aria-label': `Unload ${release}` },
    );

  const checkButton = ({ release }: AdminRelease): HTMLElement =>
    button(
      'Check',
      () =>
        said.trying(async () => {
          const body = { release };
          const { checks } = await ask<CheckedRelease>('/v1/admin/models/check', {
            method: 'POST',
            body,
          });
          await load();
          const failed = checks.filter(({ ok }) => !ok);
          const rows = checks.map(({ name, ok, detail }) =>
            row([make('strong', {}, `${name}: ${ok ? 'passed' : 'FAILED'}`)], [detail]),
          );
          said.good(
            failed.length > 0 ? `${release} has not passed.` : `${release} has passed its checks.`,
            list(rows, ''),
          );
        }),
      { 'aria-label': `Check ${release}` },
    );

  const element = make('div', {}, card('Models and releases', said.element, place), log.element);
  return { title: 'Models', element, load };
};

const aboutOf = ({
  loaded,
  ready_on,
  rejected,
  attempts,
  licence,
  source,
  shipped,
}: AdminRelease) => {
  const { done, failed, mirrored, likeness_db } = attempts;
  return [
    rejected !== null && `taken back: ${rejected}`,
    loaded ? `ready on ${ready_on.join(', ') || 'no Triton'}` : 'not loaded',
    `${done} jobs done, ${failed} failed`,
    mirrored > 0 && `${mirrored} done again`,
    likeness_db !== null && `${likeness_db} dB alike`,
    shipped ? 'ships with the service' : licence,
    source,
  ];
};
