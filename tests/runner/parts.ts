/** The Redis and the Triton that the files of one run share. Files ask for them by HTTP (tests/real/shared.ts); each is started, and each model loaded, when the first file asks for it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { ownRedis, type RealRedis } from '../real/redis.ts';
import { type OwnTriton, ownTriton } from '../real/triton.ts';

type SharedParts = {
  /** Where the files ask: TEST_PARTS_URL. */
  readonly url: string;
  close(): Promise<void>;
};

/** `first` are the models that Triton has from its start: loading one holds up requests on the same thread of Triton. */
export const openSharedParts = async (first: readonly string[]): Promise<SharedParts> => {
  let redis: Promise<RealRedis> | undefined;
  let triton: Promise<OwnTriton> | undefined;
  const parts: Readonly<Record<string, (models: readonly string[]) => Promise<object>>> = {
    '/redis': async () => {
      redis ??= sharedRedis();
      return { url: (await redis).url };
    },
    '/triton': async (models) => {
      triton ??= ownTriton(first);
      const { httpUrl, grpcUrl, load } = await triton;
      await load(models);
      return { httpUrl, grpcUrl };
    },
  };
  /** A part that cannot start fails every file that needs it, with the reason. */
  const answer = async (asked = ''): Promise<{ status: number; body: string }> => {
    const { pathname, searchParams } = new URL(asked, 'http://localhost');
    try {
      const open = parts[pathname];
      if (!open) throw new Error(`there is no shared part ${pathname}`);
      return { status: 200, body: JSON.stringify(await open(searchParams.getAll('model'))) };
    } catch (error) {
      return { status: 500, body: String(error) };
    }
  };
  const server = createServer(async ({ url }, response) => {
    const { status, body } = await answer(url);
    response.writeHead(status).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error(`no port: ${address}`);
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      const opened = await Promise.allSettled([redis, triton]);
      for (const part of opened) if (part.status === 'fulfilled') await part.value?.close();
    },
  };
};

/** No test kills it, so it does not wait for the disk at each write, which took 0.5 to 1.6 ms. */
const sharedRedis = async (): Promise<RealRedis> => {
  const redis = await ownRedis();
  const client = new Redis(redis.url);
  await client.config('SET', 'appendfsync', 'no');
  client.disconnect();
  return redis;
};
