/**
 * A real S3 server (OpenStack Swift from its wheel, tests/real/s3_server.py), behind a proxy by which a test makes it slow,
 * full, forbidding or forgetful: what it does then, and what reaches it, stays what a real server does.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { execa } from 'execa';
import { places, root } from '../../src/stack/home.mjs';
import { freePorts } from './ports.ts';
import { partEnvironment, tempDir } from './run.ts';

/** Handles a request in place of the server, or hands it on by `pass`, which may change the bytes of the answer. */
export type Meddler = (
  asked: IncomingMessage,
  answer: ServerResponse,
  pass: (change?: (chunk: Buffer) => Buffer) => void,
) => void;

const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'testing' };
const honest: Meddler = (_asked, _answer, pass) => pass();

/** Answers with an error as S3 servers do. */
export const refuse = (answer: ServerResponse, status: number, code: string): void => {
  answer.writeHead(status, { 'Content-Type': 'application/xml' });
  answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
};

export const realS3 = async () => {
  const [port = 0, proxyPort = 0] = await freePorts(2);
  const script = join(root, 'tests/real/s3_server.py');
  const server = execa(places.python, [script, join(tempDir('s3'), 'swift'), `${port}`], {
    env: partEnvironment(),
    stdin: 'ignore',
    reject: false,
    buffer: false,
    stderr: 'inherit',
  });
  const ready = once(server.stdout, 'data');
  await Promise.race([
    ready,
    server.then(({ exitCode }) => {
      throw new Error(`the S3 server ended with ${exitCode}`);
    }),
  ]);
  let meddle = honest;
  const proxy = createServer((asked, answer) =>
    meddle(asked, answer, (change) => forward(port, asked, answer, change)),
  );
  proxy.listen(proxyPort, '127.0.0.1');
  await once(proxy, 'listening');
  const endpoint = `http://127.0.0.1:${proxyPort}`;
  const client = new S3Client({
    region: 'us-east-1',
    forcePathStyle: true,
    credentials,
    endpoint: `http://127.0.0.1:${port}`,
  });

  return {
    /** A bucket of its own: the variables that choose it, and what is in it. */
    bucket: async () => {
      const Bucket = `media-${randomUUID()}`;
      await client.send(new CreateBucketCommand({ Bucket }));
      return {
        variables: {
          STORAGE: 's3',
          S3_ENDPOINT: endpoint,
          S3_BUCKET: Bucket,
          S3_PREFIX: 'enhance',
          S3_FORCE_PATH_STYLE: 'true',
          S3_PART_BYTES: `${5 * 1024 * 1024}`,
          S3_ACCESS_KEY_ID: credentials.accessKeyId,
          S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
          S3_TIMEOUT_SECONDS: '1',
        },
        keys: async (): Promise<string[]> => {
          const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
          return Contents.map(({ Key = '' }) => Key);
        },
        /** Begins a file in parts and leaves it so. */
        beginParts: (Key: string) => client.send(new CreateMultipartUploadCommand({ Bucket, Key })),
        unfinished: async (): Promise<number> =>
          (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads?.length ?? 0,
      };
    },
    /** From now on requests meet `by`; without it the server answers by itself. */
    meddle: (by = honest): void => {
      meddle = by;
    },
    close: async (): Promise<void> => {
      client.destroy();
      proxy.closeAllConnections();
      proxy.close();
      server.kill('SIGKILL');
      await server;
    },
  };
};
type RealS3 = Awaited<ReturnType<typeof realS3>>;
export type Bucket = Awaited<ReturnType<RealS3['bucket']>>;

/** The Host header goes on as it came, since it is signed. */
const forward = (
  port: number,
  asked: IncomingMessage,
  answer: ServerResponse,
  change: (chunk: Buffer) => Buffer = (chunk) => chunk,
): void => {
  const { method, url, headers } = asked;
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 500, reply.headers);
    reply.on('data', (chunk: Buffer) => answer.write(change(chunk)));
    reply.on('end', () => answer.end());
    reply.on('error', () => answer.destroy());
  });
  onward.on('error', () => answer.destroy());
  asked.pipe(onward);
};
