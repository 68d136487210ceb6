import type { ParameterizedContext } from 'koa';
import type { Log } from '../log.ts';

/** What the service adds to Koa's context of a request. */
export type State = {
  requestId: string;
  log: Log;
  /** The path of the route that answers, with its parameters' names; for logs and metrics. */
  pattern: string;
  /** Called when the answer was sent or its caller hung up; one listener for all, as Node warns of more than ten. */
  onGone: (() => void)[];
};
export type Context = ParameterizedContext<State>;
