/** One release in the list: what is known of it, and what an operator can do with it. */
import type { AdminRelease, AdminSlot } from '../../src/contract/releases.ts';
import { button, make } from '../dom.ts';
import { confirmed } from './confirm.ts';
import { checkbox, field, input } from './inputs.ts';
import { row } from './section.ts';

/** A change of what the service does with its releases. */
export type Move = {
  readonly path: 'canary' | 'promote' | 'rollback' | 'unload';
  readonly body: Readonly<Record<string, unknown>>;
  /** The release whose buttons wait for it; none for a move of the slot itself. */
  readonly release?: string;
  /** Said while it runs, such as "Checking photo@r2 …". */
  readonly doing: string;
  readonly done: string;
};

type Wanted = {
  readonly release: AdminRelease;
  readonly slot: AdminSlot;
  /** What is done with it now; its buttons wait meanwhile. */
  readonly doing: string | undefined;
  readonly move: (move: Move) => Promise<void>;
  readonly check: (release: string) => Promise<void>;
};
type Do = Wanted['move'];

export const releaseRow = ({ release, slot, doing, move, check }: Wanted): HTMLElement => {
  const { release: name, alias, rejected, loaded, shipped } = release;
  const isFree = alias !== 'stable' && rejected === null;
  const buttons = [
    isFree && canaryButton(release, slot, move),
    isFree && promoteButton(release, move),
    alias === null && loaded && unloadButton(release, move),
    !shipped && button('Check', () => check(name), { 'aria-label': `Check ${name}` }),
  ].filter((one) => one !== false);
  if (doing !== undefined) for (const one of buttons) one.disabled = true;
  const element = row(
    [make('strong', {}, name), alias && ` · ${alias}`],
    [doing ?? false, ...aboutOf(release)],
    buttons,
  );
  element.setAttribute('aria-busy', String(doing !== undefined));
  return element;
};

const canaryButton = (
  { release }: AdminRelease,
  { slot, candidate }: AdminSlot,
  move: Do,
): HTMLButtonElement =>
  button(
    'Try',
    async () => {
      const percent = input({ type: 'number', min: 0.01, max: 100, step: 'any', required: true });
      const mirror = input({ type: 'number', min: 0, max: 100, step: 'any', required: true });
      percent.valueAsNumber = candidate?.release === release ? candidate.percent : 5;
      mirror.valueAsNumber = candidate?.release === release ? candidate.mirror : 0;
      const isSure = await confirmed({
        title: `Put ${release} on trial?`,
        verb: 'Start the trial',
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
      if (isSure)
        await move({
          path: 'canary',
          release,
          body,
          doing: `Loading and checking ${release} …`,
          done: `${release} is on trial.`,
        });
    },
    { 'aria-label': `Try ${release}` },
  );

const promoteButton = ({ release }: AdminRelease, move: Do): HTMLButtonElement =>
  button(
    'Promote',
    async () => {
      const text =
        'All new jobs get it. It is loaded and checked first; jobs that run finish on theirs.';
      if (await confirmed({ title: `Promote ${release}?`, text, verb: 'Promote' }))
        await move({
          path: 'promote',
          release,
          body: { release },
          doing: `Loading and checking ${release} …`,
          done: `New jobs get ${release}.`,
        });
    },
    { 'aria-label': `Promote ${release}` },
  );

const unloadButton = ({ release, shipped }: AdminRelease, move: Do): HTMLButtonElement =>
  button(
    'Unload',
    async () => {
      const files = checkbox('Delete its files too');
      const isSure = await confirmed({
        title: `Unload ${release}?`,
        verb: 'Unload',
        text: 'Its memory is given back. It is refused while an unfinished job needs it.',
        inputs: shipped ? [] : [files.element],
      });
      const body = { release, delete: files.box.checked };
      if (isSure)
        await move({
          path: 'unload',
          release,
          body,
          doing: `Unloading ${release} …`,
          done: `${release} is unloaded.`,
        });
    },
    { 'aria-label': `Unload ${release}` },
  );

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
    `${done} ${done === 1 ? 'attempt' : 'attempts'} succeeded, ${failed} failed by the model's fault`,
    mirrored > 0 && `${mirrored} done again`,
    likeness_db !== null && `${likeness_db} dB alike`,
    shipped ? 'ships with the service' : licence,
    source,
  ];
};
