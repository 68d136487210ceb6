import { z } from 'zod';
import type { ReadableJob } from '../../jobs/record/record.ts';
import { type Operation, operationOf } from '../../operations/operation.ts';
import { jobByLink, LinkQuery } from '../answer/by-link.ts';
import { resultOf } from '../answer/result-of.ts';
import { serveFile } from '../answer/serve-file.ts';
import { openRoute } from '../route.ts';
import { endFailures, linkFailures } from './failures.ts';
import { JobParams } from './jobs.ts';

/** Every result has one of the first. Generators of clients know the last, which says nothing but "bytes". */
const types = [
  ...['image/png', 'image/jpeg', 'image/webp', 'image/avif', 'video/mp4'],
  'application/octet-stream',
];

const ResultQuery = LinkQuery.extend({
  name: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('How the name of the file begins, in place of the id of the job at its end.'),
});

export const jobResultRoute = (operations: readonly Operation[]) =>
  openRoute({
    method: 'get',
    path: '/v1/jobs/:id/result',
    operationId: 'getJobResult',
    tag: 'Jobs',
    summary: 'The bytes of the result, by a signed link or by a key of the account',
    description:
      '`output_url` of a result leads here, signed, until the result expires. Downloading again costs nothing.',
    params: JobParams,
    query: ResultQuery,
    headers: ['Range', 'If-Range', 'If-None-Match'],
    byLink: true,
    answer: {
      status: 200,
      description: 'The whole result',
      type: types,
      headers: ['ETag', 'Accept-Ranges', 'Content-Disposition'],
    },
    also: [
      {
        status: 302,
        description: 'Where the storage of files itself gives the result out',
        headers: ['Location'],
      },
      {
        status: 206,
        description: 'The asked-for range',
        type: types,
        headers: ['ETag', 'Accept-Ranges', 'Content-Disposition', 'Content-Range'],
      },
      { status: 304, description: 'If-None-Match names what is there', headers: ['ETag'] },
    ],
    fails: [
      ...linkFailures,
      ...(['result_not_ready', 'range_not_satisfiable'] as const),
      ...endFailures,
      ...operations.flatMap(({ failures }) => failures),
    ],
    handle: async ({ ctx, params, query, authenticate }, parts) => {
      const record =
        query.signature === undefined
          ? await parts.jobs.get((await authenticate('read')).account, params.id)
          : await jobByLink('result', params.id, query, parts);
      const { job, outcome, expires_at } = await resultOf(record, parts.files);
      const { bytes, read } = await parts.files.openResult(outcome.file);
      const label = operationOf(parts.operations, job.kind).label(job.options);
      const name = nameOf(label, { job, file: outcome.file, given: query.name });
      const { sha256, content_type } = outcome;
      const { bodyStallMs: stallMs } = parts.config.http;
      const told = { sha256, contentType: content_type, expires_at };
      const seconds = Math.ceil((expires_at - Date.now()) / 1000);
      const link = (disposition: string) =>
        parts.files.resultLink(outcome.file, { disposition, contentType: content_type, seconds });
      return serveFile(ctx, { ...told, bytes, read, link, name, stallMs });
    },
  });

type Named = {
  readonly job: ReadableJob;
  readonly file: string;
  readonly given: string | undefined;
};

/** "photo-4x-<job>.png", "fast-<job>.mp4"; "holiday-photo-4x.png" where the caller gives "holiday". See decision 165. */
const nameOf = (label: string, { job, file, given }: Named): string =>
  (given === undefined ? `${label}-${job.id}` : `${given}-${label}`) +
  file.slice(file.lastIndexOf('.'));
