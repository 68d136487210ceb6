/** Servers beside the service that hear what it sends: an OTLP collector, and a forwarder in front of Triton. */
import { request as send } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { serve } from '../media/server.ts';

const Attribute = z.looseObject({
  key: z.string(),
  value: z.looseObject({
    stringValue: z.string().optional(),
    intValue: z.union([z.string(), z.number()]).optional(),
  }),
});
const Span = z.looseObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: z.array(Attribute).default([]),
});
const Sent = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })),
    }),
  ),
});
const valuesOf = (attributes: readonly z.infer<typeof Attribute>[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );

type CollectedSpan = z.infer<typeof Span> & {
  readonly service: unknown;
  readonly of: Readonly<Record<string, unknown>>;
};

/** Takes spans as an OpenTelemetry collector does: OTLP over HTTP, in JSON. */
export const openCollector = async () => {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const server = await serve(async (request, response) => {
    const body = await json(request);
    bodies.push(JSON.stringify({ headers: request.headers, body }));
    for (const { resource, scopeSpans } of Sent.parse(body).resourceSpans) {
      const service = valuesOf(resource.attributes)['service.name'];
      for (const span of scopeSpans.flatMap(({ spans: some }) => some))
        spans.push({ ...span, service, of: valuesOf(span.attributes) });
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { origin: server.origin, close: server.close, spans, bodies };
};

/** Passes every request on to the server at `target`, and tells its path and traceparent. */
export const openForwarder = async (target: string) => {
  const heard: { readonly path: string; readonly traceparent: string }[] = [];
  const server = await serve((request, response) => {
    const { method, url = '', headers } = request;
    heard.push({ path: url, traceparent: String(headers.traceparent ?? '') });
    const onward = send(`${target}${url}`, { method, headers });
    // Whichever side goes away, the other does too.
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.on('response', (answer) => {
      answer.on('error', () => response.destroy());
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  return { origin: server.origin, close: server.close, heard };
};
