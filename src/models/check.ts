import type { Slot } from '../triton/clients/model.ts';
import type { Transport } from '../triton/protocol/transport.ts';
import type { Manifest } from './release-folder.ts';
import type { RepositoryReader } from './releases.ts';
export type CheckResult = { name: string; ok: boolean; detail: string; ms: number };
export const checkRelease = async (_parts: {
  manifest: Manifest;
  slots: readonly Slot[];
  control: RepositoryReader;
  transport: Transport;
  signal: AbortSignal;
  bounds: object;
}): Promise<CheckResult[]> => {
  throw new Error('later');
};
