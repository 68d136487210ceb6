/** A real web server whose answers a test writes. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';

export type Serving = { readonly origin: string; readonly port: number; close(): Promise<void> };

export const serve = (listener: RequestListener): Promise<Serving> =>
  listen(createServer(listener));

/** A server below HTTP: what it says to each connection is up to the test. */
export const serveRaw = (talk: (socket: Socket) => void): Promise<Serving> =>
  listen(
    createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => talk(socket));
    }),
  );

const listen = async (server: Server): Promise<Serving> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { port } = address;
  const close = async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  return { origin: `http://127.0.0.1:${port}`, port, close };
};
