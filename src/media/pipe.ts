import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** At least as much as a Linux socket holds at once (212,992 bytes by default). */
const BUFFER_BYTES = 256 * 1024;

export type Pipe = {
  /** For a child's standard output. Destroy it here once the child has started, which has its own copy. */
  readonly writer: Socket;
  /** What the child writes. A chunk is overwritten when the next one is asked for. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends the reading, with an error where there is one. */
  destroy(error?: Error): void;
};

/**
 * A pipe that is always read into the same memory. Node itself reads a child's output into new memory each time: for the
 * pictures of a video, collecting that garbage costs several times what reading costs.
 */
export const openPipe = async (): Promise<Pipe> => {
  const folder = await mkdtemp(join(tmpdir(), 'enhance-pipe-'));
  const server = createServer({ pauseOnConnect: true });
  try {
    const path = join(folder, 'socket');
    await once(server.listen(path), 'listening');
    const accepted = once(server, 'connection');
    const { socket, ...reader } = openReader(path);
    // Rejects where the connection fails.
    await once(socket, 'connect');
    const [writer] = await accepted;
    return { writer, ...reader };
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const openReader = (path: string): Omit<Pipe, 'writer'> & { readonly socket: Socket } => {
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  let received = 0;
  let failed: { readonly error: unknown } | null = null;
  let wake = () => {};
  // false stops the reading, until the chunk has been used.
  const callback = (bytes: number): boolean => {
    received = bytes;
    wake();
    return false;
  };
  const socket = connect({ path, onread: { buffer, callback } });
  socket.on('error', (error) => {
    failed = { error };
  });
  socket.on('close', () => wake());
  const read = async function* () {
    try {
      for (;;) {
        if (received === 0 && !socket.closed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (failed) throw failed.error;
        if (received === 0) return;
        yield buffer.subarray(0, received);
        received = 0;
        socket.resume();
      }
    } finally {
      socket.destroy();
    }
  };
  return { socket, chunks: read(), destroy: (error) => void socket.destroy(error) };
};
