/** What `/metrics` tells, as a test asks for it. */
import axios from 'axios';

export type Sample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

/** All samples of a page in Prometheus' text format. */
export const samplesIn = (page: string): Sample[] =>
  page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      const found = pairs.map(([, label = '', text = '']) => [label, text] as const);
      return { name, labels: Object.fromEntries(found), value: Number(value) };
    });

export const scrape = async (url: string, token?: string): Promise<Sample[]> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return samplesIn((await axios.get(`${url}/metrics`, { headers, timeout: 15_000 })).data);
};

/** The sum of the samples of a metric whose labels are these, and perhaps more. */
export const sumOf = (
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number =>
  samples
    .filter((sample) => sample.name === name)
    .filter((sample) =>
      Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);
