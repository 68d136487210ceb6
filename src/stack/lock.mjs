/** One at a time on this machine: a lock that the kernel drops when its holder ends, however it ends. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Takes the lock, or says undefined when another process holds it. The name lies in Linux's abstract socket
 * space: no file can be left over.
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

/** Waits until the lock is free. @param {string} name @param {() => void} onWait */
export const takeWhenFree = async (name, onWait) => {
  for (let tries = 0; ; tries += 1) {
    const lock = await take(name);
    if (lock) return lock;
    if (tries === 0) onWait();
    await sleep(250);
  }
};
