#!/usr/bin/env -S node --import tsx
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { GrantNote } from '../contract/credits.ts';
import { Account, ExpiresInSeconds, GrantedCredits, OverlapSeconds } from '../contract/keys.ts';
import { Failure } from '../errors.ts';
import { expected } from '../expected.ts';
import { type Face, lipsync } from '../operations/lip-sync/cli.ts';
import { LipsyncModel, type Segment, SyncMode } from '../operations/lip-sync/request.ts';
import { upscale } from '../operations/upscale/cli.ts';
import { UpscaleOutput } from '../operations/upscale/request.ts';
import { Refused } from './client.ts';
import { balance, grant, verify } from './credits.ts';
import { developmentKey, stackEnvironment } from './home.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts';
import { listModels } from './models.ts';

/** The value as the API's schema for it has it; the schema's own sentence when it does not fit. */
const parsed = <T extends z.ZodType>(schema: T, value: unknown): z.output<T> => {
  const { data, error } = schema.safeParse(value, { error: expected });
  if (error) throw new InvalidArgumentError(`${error.issues[0]?.message}.`);
  return data;
};

const number =
  (schema: z.ZodNumber) =>
  (text: string): number =>
    parsed(schema, text.trim() === '' ? undefined : Number(text));

const text = (schema: z.ZodString) => (value: string) => parsed(schema, value);

const quality = number(UpscaleOutput.shape.quality.unwrap());
const fraction = number(z.number().min(0).max(1));

const face = (text: string): Face => {
  const [, frame, x, y] = /^(\d+),(\d+(?:\.\d+)?),(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (frame === undefined) throw new InvalidArgumentError('Expected FRAME,X,Y such as 0,320,180.');
  return { frame: Number(frame), x: Number(x), y: Number(y) };
};

/** "2-4.5=0-2.5" or "2-4.5=0": seconds of the clip = seconds of the sound. An option that can be repeated: appends to `before`. */
const segment = (text: string, before: readonly Segment[] = []): Segment[] => {
  const number = '(\\d+(?:\\.\\d+)?)';
  const parts = new RegExp(`^${number}-${number}=${number}(?:-${number})?$`).exec(text);
  if (!parts) throw new InvalidArgumentError('Expected START-END=FROM-TO such as 2-4.5=0-2.5.');
  const [start = 0, end = 0, from = 0, to = 0] = parts.slice(1).map(Number);
  const audio = parts[4] === undefined ? { start: from } : { start: from, end: to };
  return [...before, { start, end, audio }];
};

const serviceUrl = (text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError('Expected an http or https URL such as http://127.0.0.1:8080.');
};

const program = new Command('enhance')
  .description('Upscale and lip-sync media with the service, and manage its keys and credits.')
  .showHelpAfterError();

/** Adds the options of every command that calls the service. */
const calling = (command: Command): Command =>
  command
    .option(
      '--url <url>',
      'address of the service',
      serviceUrl,
      stackEnvironment().ENHANCE_URL ?? 'http://127.0.0.1:8080',
    )
    .option(
      '--key <key>',
      'API key (default: ENHANCE_API_KEY, else the development key of `npm start`)',
    );

const keyed = <T extends { key?: string }>(options: T): T & { key: string } => {
  const key = options.key ?? process.env.ENHANCE_API_KEY ?? developmentKey();
  if (!key)
    throw new Refused(
      'No API key. Give one with --key or ENHANCE_API_KEY, or run `npm start` once, which creates one.',
    );
  return { ...options, key };
};

calling(program.command('upscale <file>'))
  .description('upscale an image or a video')
  .requiredOption('-o, --output <file>', 'path of the result; its extension chooses the format')
  .option('-m, --model <model>', 'photo, animation or detail', 'photo')
  .option('-s, --scale <scale>', '2, 4 or 8', '2')
  .option('-f, --format <format>', 'png, jpeg, webp, avif or mp4 (default: by the extension)')
  .option('-q, --quality <quality>', '1 to 100; higher is better and larger', quality)
  .action((file, options) => upscale(file, keyed(options)));

calling(program.command('lipsync <video> <audio>'))
  .description('move the mouth in a video or a portrait to fit the audio')
  .requiredOption('-o, --output <file>', 'path of the result, an .mp4')
  .option('-m, --model <model>', LipsyncModel.options.join(', '), 'fast')
  .option(
    '--sync-mode <mode>',
    `when video and audio differ in length: ${SyncMode.options.join(', ')} (default: cut_off)`,
  )
  .option(
    '--segment <start-end=from-to>',
    'these seconds of the video speak with these seconds of the audio; can be repeated',
    segment,
  )
  .option('--background <volume>', "mix in the video's own sound at this volume, 0 to 1", fraction)
  .option('--expressiveness <amount>', 'how far the mouth opens, 0 to 1 (default: 0.5)', fraction)
  .option(
    '--on-no-face <way>',
    'frames without the face: passthrough or fail (default: passthrough)',
  )
  .option('--style <style>', 'auto, photo or flat (for drawings) (default: auto)')
  .option('--no-motion', 'keep the head of a portrait still')
  .option(
    '--face <frame,x,y>',
    'the face whose mouth moves, by frame number and a point on it in pixels',
    face,
  )
  .action((video, audio, options) => lipsync(video, audio, keyed(options)));

const models = program.command('models').description('the models of the running service');
calling(models.command('list'))
  .description('list the models with their state and price')
  .option('--json', 'print JSON')
  .action((options) => listModels(keyed(options)));

const keys = program.command('keys').description('API keys (needs Redis, not the API)');
keys
  .command('create')
  .description('create a key, which is shown only once')
  .requiredOption('--account <name>', 'account of the key; created if new', text(Account))
  .option(
    '--credits <count>',
    'also grant this many credits to the account',
    number(GrantedCredits),
  )
  .option('--scopes <list>', 'comma-separated list of create, read, admin (default: create,read)')
  .option(
    '--expires-in <seconds>',
    'when the key expires (default: never)',
    number(ExpiresInSeconds),
  )
  .option('--json', 'print JSON')
  .action(createKey);
keys
  .command('list')
  .description('list the keys, without their secrets')
  .option('--account <name>', 'only the keys of this account')
  .option('--json', 'print JSON')
  .action(listKeys);
keys
  .command('rotate <id>')
  .description('create a new key like this one; the old one expires after the overlap')
  .option('--overlap <seconds>', 'how long the old key still works', number(OverlapSeconds), 86_400)
  .option('--json', 'print JSON')
  .action(rotateKey);
keys.command('revoke <id>').description('disable a key at once').action(revokeKey);

const credits = program
  .command('credits')
  .description('credits of accounts (needs Redis, not the API)');
credits
  .command('grant')
  .description('add credits to an account')
  .argument('<account>', 'created if new', text(Account))
  .argument('<credits>', 'number of credits', number(GrantedCredits))
  .option('--note <text>', 'note in the ledger', text(GrantNote))
  .action((account, count, options) => grant(account, count, options));
credits
  .command('balance <account>')
  .description('show the credits of an account')
  .option('--json', 'print JSON')
  .action(balance);
credits
  .command('verify [account]')
  .description('compare balances with the sums of their ledgers; exit code 1 when one differs')
  .action(verify);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Refused) && !(error instanceof Failure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
