/** What every command that calls the service needs: where it is, and a key. */
import type { Command } from 'commander';
import { type Client, createClient } from '../../client/client.ts';
import { type HttpOptions, isHttpUrl } from '../../client/http.ts';
import { developmentKey, stackEnvironment } from './home.ts';
import { Refused } from './refused.ts';

export type Calling = { readonly url: string; readonly key?: string };

/** Adds the options of every command that calls the service. */
export const calling = (command: Command): Command =>
  command
    .option(
      '--url <url>',
      'address of the service',
      stackEnvironment().ENHANCE_URL ?? 'http://127.0.0.1:8080',
    )
    .option(
      '--key <key>',
      'API key (default: ENHANCE_API_KEY, else the development key of `npm start`)',
    );

type Repeating = Pick<HttpOptions, 'retries' | 'onRetry'>;

/** The service that these options name. A person waits at the terminal, so it is reported at once when nothing answers. */
export const serviceOf = (
  { url, key: given }: Calling,
  repeating: Repeating = { retries: 0 },
): Client => {
  // The default may come from ENHANCE_URL, which commander does not check.
  if (!isHttpUrl(url))
    throw new Refused(
      `The address of the service (--url, ENHANCE_URL) must be an http or https URL such as http://127.0.0.1:8080; got "${url}".`,
    );
  const key = given ?? process.env.ENHANCE_API_KEY ?? developmentKey();
  if (!key)
    throw new Refused(
      'No API key. Give one with --key or ENHANCE_API_KEY, or run `npm start` once, which creates one.',
    );
  return createClient({ url, key, ...repeating });
};

/** Repeats requests that follow an accepted job while the API is away, as in a restart, for about a minute; says so once. */
export const throughRestart = (say: (text: string) => void): Repeating => {
  let isSaid = false;
  return {
    // The pauses between them are 65.5 s together.
    retries: 10,
    onRetry: (error) => {
      if (!isSaid) say(`${messageOf(error)} Trying again for a minute; accepted jobs go on.`);
      isSaid = true;
    },
  };
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : `${error}`);
