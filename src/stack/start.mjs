/** `npm start`: set-up, then the stack, in one process, so that signals which npm passes on arrive here. */
import { orExit, setUp } from './setup.mjs';

await orExit(async () => {
  await setUp({ dev: false });
  const { register } = await import('tsx/esm/api');
  register();
  const { up } = await import('./up.ts');
  await up();
});
process.exit(0);
