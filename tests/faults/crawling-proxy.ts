/** A proxy before Triton that can be told to let the answers of inference through byte by byte. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export const crawlingProxy = async (target: string) => {
  let crawls = false;
  /** One byte in 100 ms while it crawls; all at once otherwise. */
  const pass = async (from: Readable, to: Writable): Promise<void> => {
    for await (const chunk of from) {
      const bytes = Buffer.from(chunk);
      let sent = 0;
      while (crawls && sent < bytes.length && !to.destroyed) {
        to.write(bytes.subarray(sent, sent + 1));
        sent += 1;
        await sleep(100);
      }
      to.write(bytes.subarray(sent));
    }
    to.end();
  };
  const server = createServer((asked, answer) => {
    const { hostname, port } = new URL(target);
    const { url: path = '', method, headers } = asked;
    const onward = request({ hostname, port, path, method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      const passing = path.endsWith('/infer') ? pass(answered, answer) : pipeline(answered, answer);
      // Either side may hang up.
      passing.catch(() => answer.destroy());
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error(`no port: ${address}`);
  return {
    url: `http://127.0.0.1:${address.port}`,
    crawl: (now: boolean): void => {
      crawls = now;
    },
    close: async (): Promise<void> => {
      server.close();
      server.closeAllConnections();
    },
  };
};
