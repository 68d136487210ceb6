#!/usr/bin/env -S node --import tsx
import { Command } from 'commander';
import { GrantNote } from '../contract/credits.ts';
import { Account, ExpiresInSeconds, GrantedCredits, OverlapSeconds } from '../contract/keys.ts';
import { Failure } from '../errors.ts';
import { operations } from '../operations/all.ts';
import { number, text } from './arguments.ts';
import { calling, keyed } from './calling.ts';
import { Refused } from './client.ts';
import { balance, grant, verify } from './credits.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts';
import { listModels } from './models.ts';

const program = new Command('enhance')
  .description('Upscale and lip-sync media with the service, and manage its keys and credits.')
  .showHelpAfterError();

for (const { command } of operations) command?.(program);

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
