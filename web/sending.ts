/** A chosen file on its way to the service. It is sent at once: the price depends on what is in it. */
import { EnhanceError } from '../client/errors.ts';
import type { MediaKind } from '../src/contract/media.ts';
import type { Chosen } from './chosen.ts';
import { announce, button, make } from './dom.ts';
import { cameOf, fits, otherKind } from './file-fault.ts';
import { plainBox, problemBox } from './problem-box.ts';
import { drop, send, type Transfer } from './upload.ts';

/** What a request names in the place of the file. */
export type Sent = {
  readonly url: string;
  readonly kind: MediaKind;
  /** Of an upload; a job's result has none. */
  readonly id?: string;
};
/** What has become of a file that another form takes over: it is there, on its way, or neither. */
export type Taken = Sent | Transfer | null;

type Wanted = {
  /** Whether pictures and videos belong there, or sounds. */
  readonly isVisual: boolean;
  /** Called when the file is there, and when it cannot be sent. */
  readonly onEnd: () => void;
  readonly onCancel: () => void;
};

export const createSending = ({ isVisual, onEnd, onCancel }: Wanted) => {
  const element = make('div', { class: 'sent' });
  let sent: Sent | null = null;
  let refused = false;
  let underWay: Transfer | null = null;

  const clear = (): void => {
    underWay = null;
    sent = null;
    refused = false;
    element.replaceChildren();
  };
  const stop = (): void => {
    underWay?.stop();
    clear();
  };

  /** As `stop`, for good. */
  const discard = (): void => {
    if (sent?.id) drop(sent.id);
    stop();
  };

  const unfit = (name: string, came?: string) =>
    plainBox('This file cannot be used', otherKind(name, isVisual, came));

  const follow = async (transfer: Transfer, file: Blob, name: string): Promise<void> => {
    underWay = transfer;
    const progress = progressOf(name);
    const cancel = button('Cancel the upload', onCancel, { class: 'quiet' });
    element.replaceChildren(progress.element, cancel);
    transfer.follow(progress.show);
    try {
      const uploaded = await transfer.uploaded;
      if (underWay !== transfer) return;
      if (fits(uploaded.kind, isVisual)) {
        sent = uploaded;
        element.replaceChildren();
        announce(`${name} is uploaded.`);
      } else {
        refused = true;
        drop(uploaded.id);
        element.replaceChildren(unfit(name));
      }
    } catch (error) {
      if (underWay !== transfer) return;
      refused = error instanceof EnhanceError && !error.retryable;
      element.replaceChildren(
        isOfNoKind(error) ? unfit(name, cameOf(error.problem.detail)) : problemBox(error),
        ...(refused ? [] : [button('Try again', () => follow(send(file, name), file, name))]),
      );
    }
    underWay = null;
    onEnd();
  };

  return {
    element,
    discard,
    /** `taken` is what another form handed over of this file. */
    begin: ({ content, kind = 'video', name }: Chosen, taken: Taken = null): void => {
      stop();
      if (taken && 'url' in taken) sent = taken;
      else if (content instanceof Blob)
        return void follow(taken ?? send(content, name), content, name);
      else sent = { url: content, kind };
      onEnd();
    },
    /** What has become of the file, which is another's from now on. */
    handOver: (): Taken => {
      const taken = sent ?? underWay;
      clear();
      return taken;
    },
    sent: (): Sent | null => sent,
    /** Whether the service does not take this file, however often it is sent. */
    isRefused: (): boolean => refused,
  };
};

/** The service lists all that an upload may be; here it is one file of a request. */
const isOfNoKind = (error: unknown): error is EnhanceError =>
  error instanceof EnhanceError && error.code === 'unsupported_media_type';

const progressOf = (name: string) => {
  const bar = make('progress', { max: 1, value: 0, 'aria-label': `Upload of ${name}` });
  const text = make('p', { class: 'hint' }, 'Uploading …');
  return {
    element: make('div', {}, bar, text),
    show: (share: number): void => {
      bar.value = share;
      text.textContent = share < 1 ? `Uploading: ${Math.floor(100 * share)} %` : 'Checking …';
    },
  };
};
