/** A Triton of the bench's own, and the models that it serves. */
import { loadConfig } from '../../src/config.ts';
import type { LipsyncModel } from '../../src/contract/lipsync.ts';
import { localTransport } from '../../src/stack/environment.ts';
import { type LipsyncModels, openLipsync } from '../../src/triton/models/lipsync.ts';
import { openControl } from '../../src/triton/protocol/control.ts';
import { openTransport } from '../../src/triton/protocol/transport.ts';
import { ffmpegPath } from '../../tests/real/ffmpeg.ts';
import { ownTriton } from '../../tests/real/triton.ts';

export type Stack = {
  readonly config: ReturnType<typeof loadConfig>;
  readonly models: LipsyncModels;
  close(): Promise<void>;
};

const servedFor = (model: LipsyncModel) => [
  ...['face_track', 'speech', 'mouth_plan', `mouth_render_${model}`],
  ...['head_motion', 'portrait_motion'],
];
const secrets = { KEY_PEPPER: 'of no account here', SIGNING_SECRET: 'of no account here' };

export const openStack = async (model: LipsyncModel): Promise<Stack> => {
  const triton = await ownTriton(servedFor(model));
  const { httpUrl: TRITON_HTTP_URL, grpcUrl: TRITON_GRPC_URL } = triton;
  const config = loadConfig({
    ...process.env,
    ...secrets,
    // As `npm start` has it.
    TRITON_TRANSPORT: process.env.TRITON_TRANSPORT || localTransport(),
    ...{ FFMPEG: ffmpegPath, TRITON_HTTP_URL, TRITON_GRPC_URL },
  });
  const transport = await openTransport(config.triton);
  const close = async () => {
    await transport.close();
    await triton.close();
  };
  try {
    return {
      config,
      models: await openLipsync(model, transport, openControl(config.triton)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};
