/** Reads the content credentials of any file. */
import { type Found, Found as FoundSchema } from './credentials.ts';
import { askPython, type Python } from './python.ts';

/** `anchors`: certificates in PEM of the issuers whose signers are trusted; may be empty. Throws ProvenanceFault. */
export const readCredentials = (
  path: string,
  anchors: string,
  python: Python,
  signal: AbortSignal,
): Promise<Found> => askPython({ ask: 'read', path, anchors }, FoundSchema, python, signal);
