/** The real parts that the files of one run share: one Redis and one Triton, started only when a file asks for them. */
import { readFileSync } from 'node:fs';
import { ownRedis, type RealRedis } from '../real/redis.ts';
import { ownTriton, type RealTriton } from '../real/triton.ts';

export type SharedParts = {
  /** Where a file finds the parts that it uses; resolves when those are ready. */
  environment(file: string): Promise<NodeJS.ProcessEnv>;
  close(): Promise<void>;
};

export const sharedParts = (): SharedParts => {
  let redis: Promise<RealRedis> | undefined;
  let triton: Promise<RealTriton> | undefined;
  const environment = async (file: string) => {
    const env: NodeJS.ProcessEnv = {};
    if (uses(file, 'realRedis', 'realService')) {
      redis ??= ownRedis();
      env.TEST_REDIS_URL = (await redis).url;
    }
    if (uses(file, 'realTriton', 'realService')) {
      triton ??= ownTriton();
      const { httpUrl, grpcUrl } = await triton;
      Object.assign(env, { TEST_TRITON_HTTP_URL: httpUrl, TEST_TRITON_GRPC_URL: grpcUrl });
    }
    return env;
  };
  const close = async () => {
    const opened = await Promise.allSettled([redis, triton]);
    for (const part of opened) if (part.status === 'fulfilled') await part.value?.close();
  };
  return { environment, close };
};

const uses = (file: string, ...helpers: readonly string[]): boolean => {
  const source = readFileSync(file, 'utf8');
  return helpers.some((helper) => source.includes(helper));
};
