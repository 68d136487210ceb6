/** OpenTelemetry: spans are collected here and sent to a collector by OTLP over HTTP. Loaded only when that is configured. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../log.ts';
import { outOfScope, scope } from './scope.ts';
import type { Tracing } from './tracing.ts';

type Settings = {
  /** Base URL of the collector; spans go to `v1/traces` below it. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How many of the traces that begin here are recorded, 0..1. A caller's traceparent decides for its own. */
  readonly ratio: number;
};

/** A collector that does not answer holds up neither the work nor, for longer than this, the end of the process. */
const sendWithinMs = 2_000;

export const openOtel = (
  { endpoint, headers, ratio }: Settings,
  part: string,
  log: Log,
): Tracing => {
  const complain = (message: string) =>
    outOfScope(() => log.warn({ why: message.slice(0, 300) }, 'spans could not be sent'));
  const silent = () => {};
  diag.setLogger(
    { error: complain, warn: complain, info: silent, debug: silent, verbose: silent },
    DiagLogLevel.WARN,
  );
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: sendWithinMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': `enhance-${part}` }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: sendWithinMs,
      }),
    ],
  });
  const tracer = provider.getTracer('enhance');
  return {
    start: (name, kind, attributes = {}) => {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent());
      return {
        traceparent: textOf(span.spanContext()),
        set: (more) => void span.setAttributes(more),
        end: (fault) => {
          if (fault !== undefined) {
            span.setAttribute('error.type', fault);
            span.setStatus({ code: SpanStatusCode.ERROR, message: fault });
          }
          span.end();
        },
      };
    },
    close: () =>
      Promise.race([provider.shutdown(), sleep(sendWithinMs, undefined, { ref: false })]),
  };
};

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

const parent = (): Context => {
  const [, traceId, spanId, flags] = scope().traceparent?.split('-') ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const traceFlags = Number.parseInt(flags, 16) & 1;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
};

const textOf = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-0${traceFlags & 1}`;
