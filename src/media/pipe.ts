import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** As much as a socket of Linux holds at once, or more. */
const BUFFER_BYTES = 256 * 1024;

export type Pipe = {
  /** To be a child's standard output, and then to be destroyed here: the child has its own copy. */
  readonly writer: Socket;
  /** What was written, as it comes. A chunk is overwritten when the next one is asked for. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Ends the reading, with an error where there is one. */
  destroy(error?: Error): void;
};

/**
 * A pipe that is read into one and the same memory. Node reads a child's output into new memory each time, and of a
 * video's pictures the garbage costs several times what reading them does.
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
  let came = 0;
  let failed: { readonly error: unknown } | null = null;
  let wake = () => {};
  // false stops the reading, until the chunk has been used.
  const callback = (bytes: number): boolean => {
    came = bytes;
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
        if (came === 0 && !socket.closed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (failed) throw failed.error;
        if (came === 0) return;
        yield buffer.subarray(0, came);
        came = 0;
        socket.resume();
      }
    } finally {
      socket.destroy();
    }
  };
  return { socket, chunks: read(), destroy: (error) => void socket.destroy(error) };
};
