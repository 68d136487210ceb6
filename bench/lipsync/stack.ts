/** A Triton for the bench alone, and the models that it serves. */
import { loadConfig } from '../../src/config.ts';
import { operations } from '../../src/operations/all.ts';
import type { LipsyncModel } from '../../src/operations/lip-sync/request.ts';
import { localTransport } from '../../src/stack/environment.ts';
import type { LipsyncModels } from '../../src/triton/clients/lipsync.ts';
import { openTransport } from '../../src/triton/open-transport.ts';
import { ffmpegPath, ffprobePath } from '../../tests/real/ffmpeg.ts';
import { lipsyncModels } from '../../tests/real/lipsync.ts';
import { ownTriton } from '../../tests/real/triton.ts';

export type Stack = {
  readonly config: ReturnType<typeof loadConfig>;
  readonly models: LipsyncModels;
};

const shared = ['face_track', 'speech', 'mouth_plan', 'head_motion', 'portrait_motion'];
const secrets = { KEY_PEPPER: 'not used by a bench', SIGNING_SECRET: 'not used by a bench' };

/** One Triton for all models that are compared. */
export const openStacks = async (models: readonly LipsyncModel[]) => {
  const triton = await ownTriton([...shared, ...models.map((model) => `mouth_render_${model}`)]);
  const { httpUrl: TRITON_HTTP_URL, grpcUrl: TRITON_GRPC_URL } = triton;
  const TRITON_ADMIN_SECRET = triton.adminSecret;
  const config = loadConfig(
    {
      ...process.env,
      ...secrets,
      // The transport that `npm start` chooses.
      TRITON_TRANSPORT: process.env.TRITON_TRANSPORT || localTransport(),
      FFMPEG: ffmpegPath,
      FFPROBE: ffprobePath,
      TRITON_HTTP_URL,
      TRITON_GRPC_URL,
      TRITON_ADMIN_SECRET,
    },
    operations,
  );
  const transport = await openTransport(config.triton);
  return {
    of: async (model: LipsyncModel): Promise<Stack> => ({
      config,
      models: await lipsyncModels(model, transport, config.triton),
    }),
    close: async () => {
      await transport.close();
      await triton.close();
    },
  };
};
