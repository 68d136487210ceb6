import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Pipe = {
  /** To be a child's standard output. Destroy it here once the child has started, which has its own copy. */
  readonly writer: Socket;
  /** The places in turn, each when it is full; a rest that fills none is dropped. Nothing is read before the next is asked for. */
  readonly filled: AsyncIterable<Buffer>;
  /** Ends the reading, with an error where there is one. */
  destroy(error?: Error): void;
};

/**
 * A pipe that is read into the places that `next` gives, each asked for when the one before is full. Node itself reads a
 * child's output into new memory each time: for the pictures of a video, collecting that garbage costs several times what
 * reading costs, and copying what was read as much again.
 */
export const openPipe = async (next: () => Buffer): Promise<Pipe> => {
  const folder = await mkdtemp(join(tmpdir(), 'enhance-pipe-'));
  const server = createServer({ pauseOnConnect: true });
  try {
    const path = join(folder, 'socket');
    await once(server.listen(path), 'listening');
    const accepted = once(server, 'connection');
    const { socket, ...reader } = openReader(path, next);
    // Rejects where the connection fails.
    await once(socket, 'connect');
    const [writer] = await accepted;
    return { writer, ...reader };
  } finally {
    server.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const openReader = (
  path: string,
  next: () => Buffer,
): Omit<Pipe, 'writer'> & { readonly socket: Socket } => {
  let place = next();
  let received = 0;
  let full: Buffer | null = null;
  let failed: { readonly error: unknown } | null = null;
  let wake = () => {};
  const buffer = () => place.subarray(received);
  // false stops the reading, until the full place has been used.
  const callback = (bytes: number): boolean => {
    received += bytes;
    if (received < place.length) return true;
    [full, place, received] = [place, next(), 0];
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
        if (!full && !socket.closed) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (failed) throw failed.error;
        if (!full) return;
        yield full;
        full = null;
        socket.resume();
      }
    } finally {
      socket.destroy();
    }
  };
  return { socket, filled: read(), destroy: (error) => void socket.destroy(error) };
};
