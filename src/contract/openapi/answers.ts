/** The answers that are not failures, as the document describes them. */
import type { Answer, Description, Json } from './description.ts';
import type { AnswerHeader } from './header-list.ts';
import { headersOf, rateHeaders } from './headers.ts';
import type { Schemas } from './schemas.ts';

export const answersOf = (route: Description, schemas: Schemas): Json =>
  Object.fromEntries(
    [route.answer, ...(route.also ?? [])].map((answer) => {
      const content = contentOf(answer, schemas);
      return [
        answer.status,
        {
          description: answer.description ?? route.summary,
          headers: headersOf([...rateHeaders(route), ...ownHeaders(route, answer)]),
          ...(Object.keys(content).length > 0 && { content }),
        },
      ];
    }),
  );

const ownHeaders = (route: Description, { status, headers = [] }: Answer): AnswerHeader[] => [
  ...(route.idempotent ? (['Idempotent-Replayed'] as const) : []),
  ...(route.waits ? (['Preference-Applied'] as const) : []),
  ...(route.waits && status === 202 ? (['Location'] as const) : []),
  ...headers,
];

const contentOf = ({ body, type = [], event, example }: Answer, { write }: Schemas): Json => {
  const shown = example !== undefined && { example };
  const types = typeof type === 'string' ? [type] : type;
  const told = event && write(event, 'output');
  return {
    ...(body && { 'application/json': { schema: write(body, 'output'), ...shown } }),
    ...Object.fromEntries(
      types.map((name) => [name, { schema: schemaOf(name, told), ...(!body && shown) }]),
    ),
  };
};

/** The schema of content that has none of its own; `event` is what each event of a stream is. */
const schemaOf = (type: string, event: Json | undefined): Json => {
  if (type === 'application/json') return { type: 'object' };
  if (!type.startsWith('text/')) return { type: 'string', format: 'binary' };
  // OpenAPI 3.1 has no schema for the events of a stream: some tools take this one for it, others for that of the whole text.
  return event ? { anyOf: [event, { type: 'string' }] } : { type: 'string' };
};
