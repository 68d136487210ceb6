/** One generated request, whole: what is sent, byte by byte, and how the sending ends. */

export type Kind = 'multipart' | 'json' | 'http' | 'media';
export type Header = readonly [name: string, value: string];

/** What the service holds already, for requests that name it. */
export type Target = {
  /** The address of an upload of the account. */
  readonly upload: string;
  /** A job of the account, and one of another. */
  readonly job: string;
  readonly othersJob: string;
};

/** Keys are put in when a request is sent, so that a kept one shows none. */
export const marks = { key: '{KEY}', adminKey: '{ADMIN_KEY}' } as const;
export type Keys = Readonly<Record<keyof typeof marks, string>>;

export type Attack = {
  readonly kind: Kind;
  /** What was done to a good request, for the figures and for who reads a failure. */
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** In place of method, path and headers: the first lines as they stand, with their line ends. */
  readonly raw?: string;
  /** `hang up`: the body ends early, and the connection with it; no answer is expected. */
  readonly ending: 'answer' | 'hang up';
};

/** Whether its answer has no body though its headers tell of one. */
export const isHead = ({ method, raw }: Attack): boolean => raw === undefined && method === 'HEAD';

/** The first lines of the request. */
export const headOf = ({ method, path, headers, raw }: Attack): string => {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers.map((header) => header.join(': ')),
  ];
  return raw ?? `${lines.join('\r\n')}\r\n\r\n`;
};

/** The bytes on the line. */
export const wire = (attack: Attack, { key, adminKey }: Keys): Buffer => {
  const head = headOf(attack).replaceAll(marks.adminKey, adminKey).replaceAll(marks.key, key);
  return Buffer.concat([Buffer.from(head, 'latin1'), attack.body]);
};

export const bearer = (key: string = marks.key): Header => ['Authorization', `Bearer ${key}`];
export const async: Header = ['Prefer', 'respond-async'];
export const lengthOf = (body: Buffer): Header => ['Content-Length', String(body.length)];
export const chunked: Header = ['Transfer-Encoding', 'chunked'];

/** A body in chunks of so many bytes. */
export const inChunks = (body: Buffer, size: number): Buffer => {
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]);
};
