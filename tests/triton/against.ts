import { createServer, type RequestListener } from 'node:http';

/** Runs `work` against a server that answers so. */
export const against = async <T>(
  answer: RequestListener,
  work: (url: string) => Promise<T>,
): Promise<T> => {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    return await work(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};
