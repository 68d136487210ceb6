import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { realRedis } from '../real/redis.ts';
import { freshPlace, openRig, type Place, type Rig } from './rig.ts';

/** A suite whose tests each have a rig of their own and its place; after each the ledgers of its accounts have to agree. */
export const rigSuite = async (name: string, accounts: readonly string[] = ['acme']) => {
  const test = suite<{ rig: Rig; place: Place }>(name);
  const server = await realRedis();
  test.before.each(async (context) => {
    context.place = freshPlace(server.url);
    context.rig = await openRig(context.place);
    for (const account of accounts) await context.rig.ledger.grant(account, 1000);
  });
  test.after.each(async ({ rig }) => {
    for (const account of accounts) assert.equal(await rig.differences(account), []);
    await rig.close();
  });
  test.after(() => server.close());
  return test;
};
