/** Whether published advisories name a package that is installed, as npm and pip-audit tell it. */
import { z } from 'zod';

export type Audit = {
  readonly what: string;
  /** How many packages were looked up, and how many of them could not be. */
  readonly packages: number;
  readonly unchecked: number;
  /** Why there are some that could not be; empty when all were. */
  readonly reason: string;
  /** One sentence for each package with an advisory that counts. */
  readonly faults: readonly string[];
};

const Npm = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.looseObject({
      severity: z.string(),
      via: z.array(z.union([z.string(), z.looseObject({ title: z.string(), url: z.string() })])),
    }),
  ),
  metadata: z.looseObject({ dependencies: z.looseObject({ prod: z.number() }) }),
});
const NpmRefused = z.looseObject({ message: z.string() });
const counting = ['high', 'critical'];

/** What `npm audit --omit=dev --json` printed. Advisories below "high" do not count. */
export const judgeNpm = (printed: string): Audit => {
  const json: unknown = JSON.parse(printed);
  const told = Npm.safeParse(json);
  if (!told.success) {
    const { message } = NpmRefused.parse(json);
    // The sentence ends with the address that was asked.
    const reason = message.replace(/ - .*/s, '');
    return { what: 'npm packages', packages: 0, unchecked: 0, reason, faults: [] };
  }
  const { vulnerabilities, metadata } = told.data;
  const faults = Object.entries(vulnerabilities)
    .filter(([, { severity }]) => counting.includes(severity))
    .map(([name, { severity, via }]) => {
      const titles = via.map((one) =>
        typeof one === 'string' ? one : `${one.title} (${one.url})`,
      );
      return `${name}: ${severity}: ${titles.join(', ')}`;
    });
  const packages = metadata.dependencies.prod;
  return { what: 'npm packages', packages, unchecked: 0, reason: '', faults };
};

const Pip = z.object({
  dependencies: z.array(
    z.object({
      name: z.string(),
      version: z.string().optional(),
      skip_reason: z.string().optional(),
      vulns: z
        .array(z.looseObject({ id: z.string(), fix_versions: z.array(z.string()) }))
        .default([]),
    }),
  ),
});

/** What `pip-audit --format json` printed. It knows no severities: every advisory counts. */
export const judgePip = (what: string, printed: string): Audit => {
  const { dependencies } = Pip.parse(JSON.parse(printed));
  const skipped = dependencies.flatMap(({ skip_reason }) => (skip_reason ? [skip_reason] : []));
  const faults = dependencies.flatMap(({ name, version, vulns }) =>
    vulns.map(
      ({ id, fix_versions }) =>
        `${name} ${version}: ${id}, mended in ${fix_versions.join(', ') || 'no release yet'}`,
    ),
  );
  return {
    what,
    packages: dependencies.length,
    unchecked: skipped.length,
    reason: skipped[0] ?? '',
    faults,
  };
};

/** One line: what was looked up and what was not, which is never the same as "nothing was found". */
export const sayAudit = ({ what, packages, unchecked, reason, faults }: Audit): string => {
  const found = `${faults.length} with advisories`;
  if (packages === unchecked) return `NOT CHECKED: ${what}: ${reason}`;
  if (unchecked > 0)
    return `${what}: ${packages - unchecked} checked, ${found}; NOT CHECKED: ${unchecked}: ${reason}`;
  return `${what}: ${packages} checked, ${found}`;
};

export const isChecked = ({ packages, unchecked }: Audit): boolean =>
  packages > 0 && unchecked === 0;
