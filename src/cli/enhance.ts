#!/usr/bin/env -S node --import tsx
import { Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { GrantNote } from '../contract/credits.ts';
import { Account, ExpiresInSeconds, GrantedCredits, OverlapSeconds } from '../contract/keys.ts';
import { Failure } from '../errors.ts';
import { type Face, lipsync } from '../operations/lip-sync/cli.ts';
import { LipsyncModel, type Segment, SyncMode } from '../operations/lip-sync/request.ts';
import { upscale } from '../operations/upscale/cli.ts';
import { Refused } from './client.ts';
import { balance, grant, verify } from './credits.ts';
import { developmentKey, stackEnvironment } from './home.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts';
import { listModels } from './models.ts';

/** A whole number within the bounds that the API has for it. */
const whole =
  (bounds: z.ZodNumber) =>
  (text: string): number => {
    const { data } = bounds.safeParse(text.trim() === '' ? undefined : Number(text));
    if (data !== undefined) return data;
    const { minValue, maxValue } = bounds;
    throw new InvalidArgumentError(
      `expected a whole number, at least ${minValue} and at most ${maxValue}.`,
    );
  };

const fraction = (text: string): number => {
  const number = Number(text);
  if (text.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('expected a number from 0 to 1.');
  return number;
};

const face = (text: string): Face => {
  const [, frame, x, y] = /^(\d+),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (frame === undefined) throw new InvalidArgumentError('expected FRAME,X,Y such as 0,320,180.');
  return { frame: Number(frame), x: Number(x), y: Number(y) };
};

/** "2-4.5=0-2.5", "2-4.5=0": in those seconds of the clip, those of the sound. Collects what is given several times. */
const segment = (text: string, before: readonly Segment[] = []): Segment[] => {
  const number = '(\\d+(?:\\.\\d+)?)';
  const parts = new RegExp(`^${number}-${number}=${number}(?:-${number})?$`).exec(text);
  if (!parts) throw new InvalidArgumentError('expected START-END=FROM-TO such as 2-4.5=0-2.5.');
  const [start = 0, end = 0, from = 0, to = 0] = parts.slice(1).map(Number);
  const audio = parts[4] === undefined ? { start: from } : { start: from, end: to };
  return [...before, { start, end, audio }];
};

/** The names that the API takes. */
const account = (text: string): string => {
  const { data, error } = Account.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError(`${error?.issues[0]?.message}.`);
  return data;
};

const note = (text: string): string => {
  const { data, error } = GrantNote.safeParse(text);
  if (data === undefined) throw new InvalidArgumentError(`${error?.issues[0]?.message}.`);
  return data;
};

const address = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('expected an address such as http://127.0.0.1:8080.');
};

const program = new Command('enhance')
  .description('Upscale and lip-sync media with the service of this checkout, and operate it.')
  .showHelpAfterError();

/** Adds what every command that calls the service needs. */
const calling = (command: Command): Command =>
  command
    .option(
      '--url <url>',
      'address of the service',
      address,
      stackEnvironment().ENHANCE_URL ?? 'http://127.0.0.1:8080',
    )
    .option('--key <key>', 'API key; ENHANCE_API_KEY, or the development key of `npm start`');

const keyed = <T extends { key?: string }>(options: T): T & { key: string } => {
  const key = options.key ?? process.env.ENHANCE_API_KEY ?? developmentKey();
  if (!key)
    throw new Refused('No API key: say --key, set ENHANCE_API_KEY, or run `npm start` once.');
  return { ...options, key };
};

calling(program.command('upscale <file>'))
  .description('upscale an image or a video')
  .requiredOption('-o, --output <file>', 'where the result goes; its ending chooses the format')
  .option('-m, --model <model>', 'photo, animation or detail', 'photo')
  .option('-s, --scale <scale>', '2, 4 or 8', '2')
  .option('-f, --format <format>', 'png, jpeg, webp, avif or mp4, whatever the ending')
  .option('-q, --quality <quality>', '1 to 100')
  .action((file, options) => upscale(file, keyed(options)));

calling(program.command('lipsync <video> <audio>'))
  .description('make the mouth of a clip or a portrait say what the audio says')
  .requiredOption('-o, --output <file>', 'where the result goes; an mp4')
  .option('-m, --model <model>', LipsyncModel.options.join(', '), 'fast')
  .option('--sync-mode <mode>', `when the lengths differ: ${SyncMode.options.join(', ')}`)
  .option(
    '--segment <start-end=from-to>',
    'speak in these seconds of the clip, with these of the sound; may be said several times',
    segment,
  )
  .option('--background <volume>', "keep the clip's own sound under the new one, 0 to 1", fraction)
  .option('--expressiveness <amount>', '0 to 1; 0.5 is as measured', fraction)
  .option('--on-no-face <way>', 'passthrough or fail')
  .option('--style <style>', 'auto, photo or flat (a drawing)')
  .option('--no-motion', 'a portrait keeps its head still')
  .option('--face <frame,x,y>', 'whose mouth moves: a point on that face', face)
  .action((video, audio, options) => lipsync(video, audio, keyed(options)));

const models = program.command('models').description('the models of the running service');
calling(models.command('list'))
  .option('--json', 'as JSON')
  .action((options) => listModels(keyed(options)));

const keys = program.command('keys').description('API keys');
keys
  .command('create')
  .requiredOption('--account <name>', 'whom the key belongs to', account)
  .option('--credits <count>', 'granted to the account along with it', whole(GrantedCredits))
  .option('--scopes <list>', 'comma-separated: create, read, admin')
  .option('--expires-in <seconds>', 'never unless given', whole(ExpiresInSeconds))
  .option('--json', 'one JSON object')
  .action(createKey);
keys.command('list').option('--account <name>').option('--json', 'as JSON').action(listKeys);
keys
  .command('rotate <id>')
  .option('--overlap <seconds>', 'how long the old key still works', whole(OverlapSeconds), 86_400)
  .option('--json', 'one JSON object')
  .action(rotateKey);
keys.command('revoke <id>').description('takes effect at once').action(revokeKey);

const credits = program.command('credits').description('accounts and their ledger');
credits
  .command('grant')
  .argument('<account>', 'is made when it is new', account)
  .argument('<credits>', 'whole credits', whole(GrantedCredits))
  .option('--note <text>', 'kept in the ledger', note)
  .action((account, count, options) => grant(account, count, options));
credits.command('balance <account>').option('--json', 'as JSON').action(balance);
credits
  .command('verify [account]')
  .description('derives balances from the ledger and compares; exits 1 on any difference')
  .action(verify);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Refused) && !(error instanceof Failure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
