import type { Config } from '../config.ts';
import type { Scope } from '../contract/keys.ts';
import type { LipsyncModel } from '../contract/lipsync.ts';
import type { UpscaleModel } from '../contract/upscale.ts';
import type { Keys } from '../credits/keys.ts';
import type { Ledger } from '../credits/ledger.ts';
import type { Links } from '../files/links.ts';
import type { Files } from '../files/store.ts';
import type { Uploads } from '../files/uploads.ts';
import type { Idempotency } from '../jobs/idempotency.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Signals } from '../jobs/signals.ts';
import type { Jobs } from '../jobs/store.ts';
import type { Log } from '../log.ts';
import type { identify, identifySound } from '../media/identify.ts';
import type { checkFrames, checkLimits, checkOutputFrames, checkPixels } from '../media/limits.ts';
import type { probeImage, probeVideo } from '../media/probe.ts';
import type { probeAudio } from '../media/probe-audio.ts';
import type { fetchTo } from '../media/source.ts';
import type { Redises } from '../redis.ts';
import type { Turns } from '../turns.ts';

/** Whom a request is made for. */
export type Caller = {
  readonly account: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
};

/** How a model stands; `release` and `engine` are null until the model has told them. */
export type ModelState = {
  readonly id: UpscaleModel | LipsyncModel;
  readonly ready: boolean;
  readonly release: string | null;
  /** What a portrait gets where that takes more than a clip does. */
  readonly portraitRelease?: string;
  readonly engine: string | null;
};

/** Everything that the API drives, opened and closed by `main.ts`. */
export type Parts = {
  readonly config: Config;
  readonly log: Log;
  readonly stores: Redises;
  readonly keys: Keys;
  readonly ledger: Ledger;
  readonly jobs: Jobs;
  readonly signals: Signals;
  readonly queue: Queue;
  readonly idempotency: Idempotency;
  readonly files: Files;
  readonly uploads: Uploads;
  readonly links: Links;
  readonly media: {
    readonly fetchTo: typeof fetchTo;
    readonly identify: typeof identify;
    readonly identifySound: typeof identifySound;
    readonly probeImage: typeof probeImage;
    readonly probeVideo: typeof probeVideo;
    readonly probeAudio: typeof probeAudio;
    readonly checkLimits: typeof checkLimits;
    readonly checkPixels: typeof checkPixels;
    readonly checkFrames: typeof checkFrames;
    readonly checkOutputFrames: typeof checkOutputFrames;
  };
  /** Who may look at a file: so many decoders run at a time. */
  readonly looks: Turns;
  readonly models: {
    /** Every model of every operation. Never throws: what does not answer is not ready. */
    describe(): Promise<readonly ModelState[]>;
  };
  /** Aborted when the process begins to shut down: no new jobs, and callers that wait get their 202. */
  readonly draining: AbortSignal;
};
