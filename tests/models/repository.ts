/** A Triton over a repository that the test fills: copies of the model `echo` under names and releases of its own. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from '../../src/triton/clients/model.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { testConfig } from '../real/config.ts';
import { tempDir } from '../real/run.ts';
import { ownTriton, testModels, tritonEnvironment } from '../real/triton.ts';
import { until } from '../real/until.ts';

/** A slot for copies of `echo`. */
export const echoSlot = (name: string): Slot => ({
  name,
  contract: {
    inputs: [{ name: 'DATA', type: 'TYPE_UINT8', dims: [-1, -1, -1] }],
    outputs: [{ name: 'DATA', type: 'TYPE_UINT8', dims: [-1, -1, -1] }],
    parameters: {},
  },
});

export const openRepository = async () => {
  const folder = tempDir('repository');
  const triton = await ownTriton([], [folder]);
  const control = openControl(triton);
  const { triton: config } = testConfig(tritonEnvironment(triton));

  /** Writes a copy of `echo`, or changes the one of this name. It is loaded by `control.load`. */
  const put = (name: string, release: string, { seconds = 0, dims = '-1, -1, -1' } = {}): void => {
    const target = join(folder, name);
    cpSync(join(testModels, 'echo'), target, { recursive: true });
    const config = join(target, 'config.pbtxt');
    const text = readFileSync(config, 'utf8').replace('echo-r1', release);
    writeFileSync(config, text.replaceAll('-1, -1, -1', dims));
    const model = join(target, '1/model.py');
    writeFileSync(model, `import time\ntime.sleep(${seconds})\n${readFileSync(model, 'utf8')}`);
  };
  const stateOf = async (name: string): Promise<string | undefined> =>
    (await control.repositoryIndex()).find((entry) => entry.name === name)?.state;
  const untilState = (name: string, state: string): Promise<void> =>
    until(`${name} is ${state}`, async () => (await stateOf(name)) === state, 30_000);

  return {
    config,
    control,
    put,
    untilState,
    load: async (name: string, release: string): Promise<void> => {
      put(name, release);
      await control.load(name, 30_000);
    },
    unload: async (name: string): Promise<void> => {
      await control.unload(name);
      await untilState(name, 'UNAVAILABLE');
    },
    kill: triton.kill,
    start: triton.start,
    close: triton.close,
  };
};
