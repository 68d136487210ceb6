/** The queries of the dashboard and of the alert rules, and the metrics that they use. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '../../src/stack/home.mjs';

const Rules = z.strictObject({
  groups: z
    .array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string().regex(/^Enhance[A-Z]\w+$/),
            expr: z.string(),
            for: z
              .string()
              .regex(/^\d+m$/)
              .optional(),
            labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
            annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
          }),
        ),
      }),
    )
    .min(1),
});
const Dashboard = z.looseObject({
  panels: z.array(
    z.looseObject({
      id: z.int(),
      title: z.string(),
      targets: z.array(z.looseObject({ expr: z.string() })).optional(),
    }),
  ),
});

export const alertsFile = join(root, 'ops/prometheus/alerts.yml');
export const alerts = Rules.parse(parse(readFileSync(alertsFile, 'utf8'))).groups.flatMap(
  ({ rules }) => rules,
);
export const panels = Dashboard.parse(
  JSON.parse(readFileSync(join(root, 'ops/grafana/enhance.json'), 'utf8')),
).panels;
export const panelQueries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Where a query breaks the grammar of PromQL; empty when it does not. */
export const faultsIn = (query: string): string[] => {
  const faults: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from }) => {
      if (type.isError) faults.push(`${query.slice(Math.max(0, from - 20), from)} ⚠`);
    },
  });
  return faults;
};

/** The names of the metrics in a query. */
export const metricsIn = (query: string): string[] => {
  const names: string[] = [];
  parser.parse(query).iterate({
    enter: ({ name, node, from, to }) => {
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector')
        names.push(query.slice(from, to));
    },
  });
  return names;
};

export const metricsOfAlerts = () => new Set(alerts.flatMap(({ expr }) => metricsIn(expr)));
export const metricsOfDashboard = () => new Set(panelQueries.flatMap(metricsIn));
