/** The name and kind of one part of a multipart body, from its header. Pure. */
import { MIMEType } from 'node:util';
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import { shorten } from '../shorten.ts';

export type PartHeader = {
  readonly name: string;
  readonly isFile: boolean;
  /** It has no file name, or an empty one: a form's file field that was not filled in is such a part, without bytes. */
  readonly isUnnamed: boolean;
};

const nameLength = 100;
const fileNameLength = 1000;
/** The transfer encodings that leave the bytes as they are. RFC 7578 §4.7 deprecates all others. */
const plain = ['7bit', '8bit', 'binary'];

const Lines = z.object({
  'content-disposition': z.array(z.string()).optional(),
  'content-transfer-encoding': z.array(z.string()).optional(),
});

/**
 * `lines` holds the header lines by their lower-case names, their bytes as latin1. A part named as one of `fileParts` is a
 * file without a file name too: clients send bytes that they have in memory so. Failure invalid_multipart.
 */
export const headerOf = (lines: object, fileParts: readonly string[]): PartHeader => {
  const { 'content-disposition': disposition, 'content-transfer-encoding': encoding } =
    Lines.parse(lines);
  const parameters = parametersOf(disposition?.[0]);
  const name = textOf(parameters.get('name') ?? '');
  if (name === '') throw invalidMultipart('a part has no name');
  if (name.length > nameLength) {
    throw invalidMultipart(
      `expected part names of at most ${nameLength} characters; got ${name.length}`,
    );
  }
  const fileName = parameters.get('filename') ?? parameters.get('filename*');
  if (fileName === null && /;\s*filename\*?\s*=\s*[^;\s]/i.test(disposition?.[0] ?? '')) {
    throw invalidMultipart('expected a file name without control characters');
  }
  if (fileName !== null && fileName.length > fileNameLength) {
    throw invalidMultipart(
      `expected file names of at most ${fileNameLength} bytes; got ${fileName.length}`,
    );
  }
  const [coded = 'binary'] = encoding ?? [];
  if (!plain.includes(coded.trim().toLowerCase())) {
    const expected = `no Content-Transfer-Encoding, or ${plain.join(', ')}`;
    throw invalidMultipart(`expected ${expected}; got "${shorten(coded)}"`);
  }
  // Not by the content type: clients leave that out for files and send it with text.
  const isFile = fileName !== null || fileParts.includes(name);
  return { name, isFile, isUnnamed: !fileName };
};

/** Content-Disposition has the parameter syntax of a media type, so it is parsed as the subtype of one. */
const parametersOf = (disposition: string | undefined) => {
  const read = disposition === undefined ? null : mediaType(`part/${disposition}`);
  if (read?.subtype === 'form-data') return read.params;
  throw invalidMultipart('expected a Content-Disposition of form-data in each part');
};

/** Null for text that is not a media type. */
export const mediaType = (text: string): MIMEType | null => {
  try {
    return new MIMEType(text);
  } catch {
    return null;
  }
};

/** The name as UTF-8: the parser reads headers as latin1. */
const textOf = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

/** Failure invalid_multipart; the reason completes the sentence "The multipart body could not be read: …". */
export const invalidMultipart = (reason: string): Failure =>
  new Failure('invalid_multipart', { reason });
