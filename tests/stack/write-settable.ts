/** Writes the variables that values.schema.json lets an operator set: all that the chart does not set itself. */

import { variables } from '../../src/environment/variables.ts';
import { operations } from '../../src/operations/all.ts';
import { setByChart, writeSettable } from './chart.ts';

const set = setByChart();
writeSettable(
  variables(operations)
    .filter((name) => !set.has(name))
    .sort(),
);
