/** How far a job is: stage, percent, time left, and the way to cancel it. */
import type { Job } from '../client/contract.ts';
import { announce, button, make } from './dom.ts';
import { problemBox } from './problem-box.ts';
import { detailOf, stageOf } from './progress-words.ts';

export const progressView = (cancel: () => Promise<void>) => {
  const title = make('p', { class: 'stage' });
  const bar = make('progress', { max: 100, 'aria-label': 'Progress of the job' });
  const detail = make('p', { class: 'hint' });
  const offline = make(
    'p',
    { class: 'notice bad', hidden: true },
    'The connection is lost. The job goes on at the server; trying again …',
  );
  const fault = make('div');
  const stop = button('Cancel', async () => {
    stop.disabled = true;
    fault.replaceChildren();
    try {
      await cancel();
    } catch (error) {
      stop.disabled = false;
      fault.replaceChildren(problemBox(error));
    }
  });
  let told = '';

  /** Screen readers hear each stage, and each quarter of the work. */
  const tell = (text: string, percent: number): void => {
    const quarter = Math.floor(percent / 25) * 25;
    const news = quarter > 0 ? `${text} ${quarter} %` : text;
    if (news !== told) announce(news);
    told = news;
  };

  return {
    element: make('div', { class: 'progress' }, title, bar, detail, offline, stop, fault),
    show: (job: Job): void => {
      const { progress, status } = job;
      const stage = stageOf(job);
      title.textContent = stage;
      const percent = progress?.percent ?? 0;
      // Until there is a number the bar only moves: a clip's first face may take seconds.
      if (status === 'queued' || percent === 0) bar.removeAttribute('value');
      else bar.value = percent;
      detail.textContent = detailOf(job);
      tell(stage, percent);
    },
    online: (isOnline: boolean): void => {
      offline.hidden = isOnline;
    },
  };
};
