import { Command, Help } from 'commander';
import { z } from 'zod';
import { GrantNote } from '../contract/credits.ts';
import { JobStatus } from '../contract/job.ts';
import {
  Account,
  ExpiresInSeconds,
  GrantedCredits,
  KeyName,
  OverlapSeconds,
} from '../contract/keys.ts';
import { CanaryPercent, MirrorPercent } from '../contract/releases.ts';
import { operations } from '../operations/all.ts';
import { choice, number, text } from './arguments.ts';
import { ownBalance } from './balance.ts';
import { calling } from './calling.ts';
import { cancelJob, deleteJob, listJobs, showJob, watchJob } from './jobs.ts';
import { listModels } from './models.ts';
import { isExpected, runJobs, tellPrices, type Use } from './run-jobs.ts';
import { version } from './version.ts';

const program = new Command('enhance')
  .description('Upscale and lip-sync media with the service, and manage its keys and credits.')
  .version(version)
  // Not the help itself: it is longer than many a screen, and the error would be above it.
  .showHelpAfterError('Add --help to see how the command is used.')
  .configureHelp({
    optionDescription: (option) =>
      `${new Help().optionDescription(option)}${option.mandatory ? ' (required)' : ''}`,
  });

/** What works on Redis, Triton or files is loaded when it is called: most commands only call the service. */
const operator = {
  releases: () => import('./releases.ts'),
  keys: () => import('./keys.ts'),
  credits: () => import('./credits.ts'),
};

const making: Use = {
  adopt: (command) =>
    calling(command)
      .option(
        '-o, --output <path>',
        'path of the result, or a folder for it: one that exists, or a name that ends with /',
        './',
      )
      .option('--force', 'replace files that exist')
      .option('--json', 'print each result as a line of JSON'),
  send: runJobs,
};
const pricing: Use = {
  adopt: (command) => calling(command).option('--json', 'print JSON'),
  send: tellPrices,
};
const estimate = program.command('estimate').description('what a call would cost');
for (const { command } of operations) {
  command?.(program, making);
  command?.(estimate, pricing);
}

const jobs = program.command('jobs').description('the jobs of the account');
calling(jobs.command('list'))
  .description('list the jobs, newest first')
  .option('--status <status>', JobStatus.options.join(', '), choice(JobStatus.options))
  .option('--kind <kind>', operations.map(({ kind }) => kind).join(', '))
  .option('--limit <count>', 'jobs', number(z.int().min(1).max(100)), 20)
  .option('--json', 'print JSON')
  .action(listJobs);
calling(jobs.command('show <id>'))
  .description('show a job')
  .option('--json', 'print JSON')
  .action(showJob);
calling(jobs.command('watch <id>'))
  .description('show the progress of a job until its end')
  .option('-o, --output <path>', 'download its result')
  .option('--force', 'replace a file that exists')
  .option('--json', 'print JSON')
  .action(watchJob);
calling(jobs.command('cancel <id>'))
  .description('cancel a job; what is cancelled costs nothing')
  .option('--json', 'print JSON')
  .action(cancelJob);
calling(jobs.command('delete <id>'))
  .description('erase the media of a job that has ended')
  .option('--json', 'print JSON')
  .action(deleteJob);

program
  .command('verify <file>')
  .description(
    'show who signed a file and what was done to it; exit code 1 unless that is there and true',
  )
  .option('--trust <file>', 'certificates in PEM of the issuers that you trust')
  .option('--json', 'print JSON')
  .action(async (file, options) => (await import('./verify.ts')).verify(file, options));

const models = program.command('models').description('the models of the running service');
calling(models.command('list'))
  .description('list the models with their state and price')
  .option('--json', 'print JSON')
  .action(listModels);

models
  .command('add <path>')
  .description(
    'add a release from an .onnx file, a folder or a .tar of one, once it passes its checks',
  )
  .requiredOption('--slot <model>', 'the model that it is a release of, such as photo')
  .option('--release <name>', 'its name, such as r2 (default: the next free one)')
  .option('--licence <id>', 'SPDX identifier, if the folder does not name one')
  .option('--source <text>', 'where it comes from')
  .option('--dry-run', 'only check it')
  .option('--json', 'print JSON')
  .action(async (path, options) => (await operator.releases()).addRelease(path, options));
models
  .command('check <release>')
  .description('check a release (photo@r2) again')
  .option('--json', 'print JSON')
  .action(async (release, options) => (await operator.releases()).checkRelease(release, options));
models
  .command('canary <release>')
  .description('put a release on trial: some of the new jobs get it')
  .requiredOption('--percent <percent>', 'of 100 new jobs', number(CanaryPercent))
  .option(
    '--mirror <percent>',
    'of 100 other jobs, done again and compared',
    number(MirrorPercent),
    0,
  )
  .option('--json', 'print JSON')
  .action(async (release, options) => (await operator.releases()).canaryRelease(release, options));
models
  .command('promote <release>')
  .description('let all new jobs get a release; those that run finish on theirs')
  .option('--json', 'print JSON')
  .action(async (release, options) => (await operator.releases()).promoteRelease(release, options));
models
  .command('rollback <model>')
  .description('end the trial; without one, go back to the release that was stable before')
  .option('--json', 'print JSON')
  .action(async (model, options) => (await operator.releases()).rollBack(model, options));
models
  .command('unload <release>')
  .description('unload a release that new jobs do not get and unfinished jobs do not need')
  .option('--delete', 'delete its files too')
  .option('--json', 'print JSON')
  .action(async (release, options) => (await operator.releases()).unloadRelease(release, options));
models
  .command('releases')
  .description('list all releases with their state')
  .option('--json', 'print JSON')
  .action(async (options) => (await operator.releases()).listReleases(options));
models
  .command('apply')
  .description('bring the releases to what a file says; again it does nothing')
  .requiredOption('-f, --file <models.yaml>', 'the file')
  .option('--dry-run', 'only say what would be done')
  .option('--json', 'print JSON')
  .action(async (options) => (await operator.releases()).applyFile(options));
models
  .command('log')
  .description('who changed the releases, newest first')
  .option('--limit <count>', 'entries', number(z.int().min(1).max(1000)), 50)
  .option('--json', 'print JSON')
  .action(async (options) => (await operator.releases()).showLog(options));

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
  .option('--name <name>', 'to tell keys apart', text(KeyName))
  .option('--scopes <list>', 'comma-separated list of create, read, admin (default: create,read)')
  .option(
    '--expires-in <seconds>',
    'when the key expires (default: never)',
    number(ExpiresInSeconds),
  )
  .option('--json', 'print JSON')
  .action(async (options) => (await operator.keys()).createKey(options));
keys
  .command('list')
  .description('list the keys, without their secrets')
  .option('--account <name>', 'only the keys of this account')
  .option('--json', 'print JSON')
  .action(async (options) => (await operator.keys()).listKeys(options));
keys
  .command('rotate <id>')
  .description('create a new key like this one; the old one expires after the overlap')
  .option('--overlap <seconds>', 'how long the old key still works', number(OverlapSeconds), 86_400)
  .option('--json', 'print JSON')
  .action(async (id, options) => (await operator.keys()).rotateKey(id, options));
keys
  .command('revoke <id>')
  .description('disable a key at once')
  .action(async (id) => (await operator.keys()).revokeKey(id));

const credits = program
  .command('credits')
  .description('credits of accounts (all but `balance` without one need Redis, not the API)');
credits
  .command('grant')
  .description('add credits to an account')
  .argument('<account>', 'created if new', text(Account))
  .argument('<credits>', 'number of credits', number(GrantedCredits))
  .option('--note <text>', 'note in the ledger', text(GrantNote))
  .action(async (account, count, options) =>
    (await operator.credits()).grant(account, count, options),
  );
credits
  .command('withdraw')
  .description('take credits away from an account, at most those that are available')
  .argument('<account>', 'the account', text(Account))
  .argument('<credits>', 'number of credits', number(GrantedCredits))
  .option('--note <text>', 'note in the ledger', text(GrantNote))
  .action(async (account, count, options) =>
    (await operator.credits()).withdraw(account, count, options),
  );
calling(credits.command('balance [account]'))
  .description(
    "show the credits of an account; without one, those of the key's own account, from the API",
  )
  .option('--json', 'print JSON')
  .action(async (account, options) =>
    account ? (await operator.credits()).balance(account, options) : ownBalance(options),
  );
credits
  .command('ledger <account>')
  .description('list what changed the credits of an account, newest first')
  .option('--limit <count>', 'entries', number(z.int().min(1).max(1000)), 50)
  .option('--json', 'print JSON')
  .action(async (account, options) => (await operator.credits()).showLedger(account, options));
credits
  .command('verify [account]')
  .description('compare balances with the sums of their ledgers; exit code 1 when one differs')
  .action(async (account) => (await operator.credits()).verify(account));

// The reader of its output may leave early, as `head -1` does; the command goes on with its work.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error) => {
    if (!('code' in error && error.code === 'EPIPE')) throw error;
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!isExpected(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
