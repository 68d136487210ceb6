/** Lip syncs as a caller gets them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { LipsyncResult } from '../../src/operations/lip-sync/request.ts';
import type { Caller, Form } from './service.ts';

/** A function that asks for one and saves it in `dir`. */
export const syncing =
  (caller: Caller, dir: string) =>
  async (video: string, audio: string, fields: Form = {}) => {
    const answer = await caller.lipsync(video, audio, fields);
    assert.is(answer.status, 200, JSON.stringify(answer.data));
    const result = LipsyncResult.parse(answer.data);
    const output = join(dir, `${result.id}.mp4`);
    writeFileSync(output, await caller.download(result.output_url));
    return { result, output };
  };
