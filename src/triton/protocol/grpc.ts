import { readFile } from 'node:fs/promises';
import {
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadFileDescriptorSetFromBuffer, type MethodDefinition } from '@grpc/proto-loader';
import { z } from 'zod';
import { untilAborted } from '../../async/until-aborted.ts';
import type { Config } from '../../config.ts';
import { traceHeader } from '../../tracing/scope.ts';
import { modelUnavailable, refused, tooSlow, trusted } from './faults.ts';
import {
  checkOutputs,
  checkTensor,
  type ReceivedOutput,
  type RequestedOutput,
  type Tensor,
} from './tensor.ts';
import type { Transport } from './transport.ts';
import { adminHeader } from './wire.ts';

/** Tensors in gRPC messages: one connection for all requests. */
export const openGrpc = async (config: Config['triton']): Promise<Transport> => {
  const method = await loadMethod(config.grpcDescriptors);
  const client = new Client(config.grpcUrl, credentials.createInsecure(), {
    'grpc.max_send_message_length': -1,
    'grpc.max_receive_message_length': -1,
    // With the default of 64 KiB the server waits 40 times within a frame of 1280x720.
    'grpc-node.flow_control_window': 16 * 1024 * 1024,
    // By default up to two minutes, for which a restarted server would stay unreachable.
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1000,
    'grpc.enable_http_proxy': 0,
    // Jobs decide what is repeated; retries here would keep a copy of every request.
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
  });

  const metadata = new Metadata();
  // The prefix that Triton demands before the name of a guarding header in gRPC.
  if (config.adminSecret) metadata.set(`triton-grpc-protocol-${adminHeader}`, config.adminSecret);
  const running = new Set<ClientUnaryCall>();
  let closed = false;

  const ask = (model: string, request: object): Promise<object> =>
    new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = method;
      const options = { deadline: Date.now() + config.requestTimeoutMs };
      const done = (error: ServiceError | null, answer: object = {}) => {
        running.delete(call);
        if (error) reject(failure(model, error, config.requestTimeoutMs));
        else resolve(answer);
      };
      const call = client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        traced(metadata),
        options,
        done,
      );
      running.add(call);
    });

  return {
    kind: 'grpc',
    infer: async (model, inputs, wanted, signal) => {
      signal.throwIfAborted();
      if (closed) throw modelUnavailable(model, new Error('the connection is closed'));
      // An aborted caller leaves at once. The call itself goes on: one that is cancelled can end Triton (decision 84).
      const answer = await untilAborted(ask(model, encode(model, inputs, wanted)), signal);
      return trusted(model, () => checkOutputs(wanted, decode(answer)));
    },
    close: async () => {
      closed = true;
      for (const call of running) call.cancel();
      client.close();
    },
  };
};

/** The metadata of a call that belongs to the present scope. */
const traced = (metadata: Metadata): Metadata => {
  const { traceparent } = traceHeader();
  if (traceparent === undefined) return metadata;
  const own = metadata.clone();
  own.set('traceparent', traceparent);
  return own;
};

type Method = MethodDefinition<object, object>;

const loadMethod = async (path: string): Promise<Method> => {
  try {
    const set = loadFileDescriptorSetFromBuffer(await readFile(path), {
      keepCase: true,
      longs: Number,
      defaults: true,
    });
    const service = set['inference.GRPCInferenceService'];
    const method = service && !('format' in service) ? service.ModelInfer : undefined;
    if (!method) throw new Error('it describes no inference.GRPCInferenceService.ModelInfer');
    return method;
  } catch (cause) {
    throw new Error(
      `TRITON_TRANSPORT=grpc needs Triton's descriptors at "${path}" (npm start and npm test put them there)`,
      { cause },
    );
  }
};

const encode = (
  model: string,
  inputs: readonly Tensor[],
  wanted: readonly RequestedOutput[],
): object => ({
  model_name: model,
  inputs: inputs.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
  outputs: wanted.map(({ name }) => ({ name })),
  raw_input_contents: inputs.map((input) => checkTensor(input).data),
});

const failure = (model: string, error: ServiceError, timeoutMs: number) => {
  if (error.code === status.DEADLINE_EXCEEDED) return tooSlow(model, timeoutMs);
  // The server ends, or the connection is closed.
  if (error.code === status.CANCELLED) return modelUnavailable(model, error);
  const absent = error.code === status.UNAVAILABLE || error.code === status.NOT_FOUND;
  return refused(model, error.details, absent);
};

const Answer = z.object({
  outputs: z.array(
    z.object({ name: z.string(), datatype: z.string(), shape: z.array(z.int().min(0)) }),
  ),
  raw_output_contents: z.array(z.instanceof(Buffer)),
});

const decode = (answer: object): ReceivedOutput[] => {
  const { outputs, raw_output_contents: raw } = Answer.parse(answer);
  if (raw.length !== outputs.length) {
    throw new Error(`expected the data of ${outputs.length} outputs; got ${raw.length}`);
  }
  return outputs.map((output, i) => ({ ...output, data: raw[i] ?? Buffer.alloc(0) }));
};
