/** `npm start`: set-up, then the stack, in one process, so that signals which npm passes on arrive here. */
import { orExit, setUp } from './setup.mjs';

await orExit(async () => {
  await setUp({ dev: false });
  const { compiled } = await import('./compiled.mjs');
  const { up } = await import(await compiled('up'));
  await up();
});
process.exit(0);
