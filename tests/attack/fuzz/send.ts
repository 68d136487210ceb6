/** Sends bytes over a connection of its own and reads what comes back, however odd both are. */
import { connect } from 'node:net';

export type Answer = {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};
export type Exchange = {
  readonly answers: readonly Answer[];
  /** Who closed: the server, we because all had come (or were to hang up), or nobody in time. */
  readonly end: 'theirs' | 'ours' | 'late';
  /** The request was ended from here, as it had no clear end of its own. */
  readonly cut: boolean;
  readonly ms: number;
};
type How = {
  readonly port: number;
  readonly ending: 'answer' | 'hang up';
  /** Requests of which no one knows where they end: what the server leaves open is closed from here. */
  readonly isRaw: boolean;
  readonly withoutBody: boolean;
  readonly withinMs: number;
};

/** After an answer, what a pipelined request may still bring. */
const quietMs = 150;
/** Until a request whose end is unclear is ended from here. */
const unclearMs = 1000;

export const send = (bytes: Buffer, how: How): Promise<Exchange> =>
  new Promise((resolve) => {
    const from = performance.now();
    const socket = connect(how.port, '127.0.0.1');
    let came = Buffer.alloc(0);
    let lastMs = 0;
    let cut = false;
    const endIt = () => {
      cut = true;
      socket.end();
    };
    const finish = (end: Exchange['end']) => {
      clearTimeout(late);
      clearTimeout(quiet);
      socket.destroy();
      const answers = answersIn(came, how.withoutBody, true);
      resolve({ answers, end, cut, ms: (lastMs || performance.now()) - from });
    };
    const late = setTimeout(() => finish('late'), how.withinMs);
    let quiet = setTimeout(() => {}, 0);
    const soon = (ms: number, act: () => void) => {
      clearTimeout(quiet);
      quiet = setTimeout(act, ms);
    };
    socket.on('data', (chunk) => {
      came = Buffer.concat([came, chunk]);
      lastMs = performance.now();
      if (answersIn(came, how.withoutBody, false).length === 0) return;
      if (how.isRaw) soon(quietMs, () => finish('ours'));
      else finish('ours');
    });
    // The server may refuse and close before it has read all.
    socket.on('error', () => {});
    socket.on('close', () => finish('theirs'));
    socket.write(bytes, () => {
      if (how.ending === 'hang up') soon(20, () => finish('ours'));
      else if (how.isRaw) soon(unclearMs, endIt);
    });
  });

/** The whole answers in what came; `closed`: what has no stated length ended with the connection. */
const answersIn = (bytes: Buffer, withoutBody: boolean, closed: boolean): Answer[] => {
  const answers: Answer[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return answers;
    const [first = '', ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    rest = rest.subarray(headEnd + 4);
    if (status === 100) continue;
    const empty = withoutBody || status === 204 || status === 304;
    const read = empty ? { body: Buffer.alloc(0), rest } : bodyIn(rest, headers, closed);
    if (!read) return answers;
    answers.push({ status, headers, body: read.body });
    rest = read.rest;
  }
};

const bodyIn = (
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  closed: boolean,
): { body: Buffer; rest: Buffer } | undefined => {
  if (headers['transfer-encoding'] === 'chunked') return chunksIn(bytes);
  const length = headers['content-length'];
  if (length === undefined)
    return closed ? { body: bytes, rest: bytes.subarray(bytes.length) } : undefined;
  const count = Number(length);
  if (bytes.length < count) return undefined;
  return { body: bytes.subarray(0, count), rest: bytes.subarray(count) };
};

const chunksIn = (bytes: Buffer): { body: Buffer; rest: Buffer } | undefined => {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || bytes.length < next) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), rest: bytes.subarray(next) };
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
};
