/** `npm start`: set-up, then the stack, in one process: a signal that npm passes on arrives here and not in a shell between. */
import { orSay, setUp } from './setup.mjs';

await orSay(async () => {
  await setUp({ dev: false });
  const { register } = await import('tsx/esm/api');
  register();
  const { up } = await import('./up.ts');
  await up();
});
process.exit(0);
