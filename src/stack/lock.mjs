/** A lock between the processes of this machine. The kernel releases it when its holder ends, even when it is killed. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Takes the lock; undefined when another process holds it. The lock is a socket in Linux's abstract namespace, so no
 * file can be left over.
 * @param {string} name @returns {Promise<{ release(): Promise<void> } | undefined>}
 */
export const take = (name) =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) =>
      'code' in error && error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(`\0enhance-${createHash('sha256').update(name).digest('hex')}`, () => {
      server.unref();
      resolve({ release: () => new Promise((done) => server.close(() => done())) });
    });
  });

/** Waits until the lock is free, then takes it. @param {string} name @param {() => void} onWait */
export const takeWhenFree = async (name, onWait) => {
  for (let tries = 0; ; tries += 1) {
    const lock = await take(name);
    if (lock) return lock;
    if (tries === 0) onWait();
    await sleep(250);
  }
};
