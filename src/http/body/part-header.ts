/** What the header of one part of a multipart body says. Pure. */
import { MIMEType } from 'node:util';
import { z } from 'zod';
import { Failure } from '../../errors.ts';
import { shorten } from './shorten.ts';

export type PartHeader = { readonly name: string; readonly isFile: boolean };

const nameLength = 100;
const fileNameLength = 1000;
/** The encodings that change nothing. RFC 7578 §4.7 knows no others any more. */
const plain = ['7bit', '8bit', 'binary'];

const Lines = z.object({
  'content-disposition': z.array(z.string()).optional(),
  'content-transfer-encoding': z.array(z.string()).optional(),
});

/** From the lines by their names in small letters, as bytes in latin1. Failure invalid_multipart. */
export const headerOf = (lines: object): PartHeader => {
  const { 'content-disposition': disposition, 'content-transfer-encoding': encoding } =
    Lines.parse(lines);
  const parameters = parametersOf(disposition?.[0]);
  const name = textOf(parameters.get('name') ?? '');
  if (name === '') throw invalidMultipart('a part has no name');
  if (name.length > nameLength) {
    throw invalidMultipart(`a part's name has more than ${nameLength} characters`);
  }
  const fileName = parameters.get('filename') ?? parameters.get('filename*');
  if (fileName === null && /;\s*filename\*?\s*=\s*[^;\s]/i.test(disposition?.[0] ?? '')) {
    throw invalidMultipart("a part's file name holds control characters");
  }
  if (fileName !== null && fileName.length > fileNameLength) {
    throw invalidMultipart(`a part's file name has more than ${fileNameLength} bytes`);
  }
  const [coded = 'binary'] = encoding ?? [];
  if (!plain.includes(coded.trim().toLowerCase())) {
    const came = `"${shorten(coded)}" came`;
    throw invalidMultipart(
      `expected no Content-Transfer-Encoding, or ${plain.join(', ')}; ${came}`,
    );
  }
  // The file name tells, not the content type: clients leave that out for files and send it with text.
  return { name, isFile: fileName !== null };
};

/** Both headers write their parameters alike, so a disposition can be read as the subtype of a media type. */
const parametersOf = (disposition: string | undefined) => {
  const read = disposition === undefined ? null : mediaType(`part/${disposition}`);
  if (read?.subtype === 'form-data') return read.params;
  throw invalidMultipart('a part has no Content-Disposition that is form-data');
};

/** Null for what is no media type. */
export const mediaType = (text: string): MIMEType | null => {
  try {
    return new MIMEType(text);
  } catch {
    return null;
  }
};

/** Browsers send names in the encoding of the page, which for us is UTF-8. */
const textOf = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');

export const invalidMultipart = (reason: string): Failure =>
  new Failure('invalid_multipart', { reason });
