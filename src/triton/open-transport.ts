import type { Config } from '../config.ts';
import { openGrpc } from './protocol/grpc.ts';
import { openHttp } from './protocol/http.ts';
import type { Transport } from './protocol/transport.ts';
import { openSharedMemory } from './shared-memory/transport.ts';

/** Opens the configured transport. Throws an Error that says why, when it cannot work here. */
export const openTransport = async (config: Config['triton']): Promise<Transport> => {
  switch (config.transport) {
    case 'http':
      return openHttp(config);
    case 'grpc':
      return openGrpc(config);
    case 'shared-memory':
      return openSharedMemory(config);
  }
};
