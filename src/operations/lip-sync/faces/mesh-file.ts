import { type FileHandle, open, rm } from 'node:fs/promises';
import { MESH_POINTS } from '../../../triton/clients/face-track.ts';

const BYTES = MESH_POINTS * 3 * 4;

/** The meshes of a clip, on disk so that a long clip takes no more memory than a short one. */
export type MeshFile = {
  /** Where it can be read again. */
  add(mesh: Float32Array): Promise<number>;
  read(at: number): Promise<Float32Array>;
  close(): Promise<void>;
};

/** A new one. */
export const createMeshFile = async (path: string): Promise<MeshFile> =>
  meshesIn(await open(path, 'wx+'));

/** One that was made before, to read. */
export const openMeshFile = async (path: string): Promise<MeshFile> => meshesIn(await open(path));

/** A new one that has its name only for a moment: whatever ends this process, nothing is left of it. */
export const scratchMeshFile = async (path: string): Promise<MeshFile> => {
  const file = await createMeshFile(path);
  await rm(path);
  return file;
};

const meshesIn = (file: FileHandle): MeshFile => {
  let count = 0;
  return {
    add: async (mesh) => {
      const at = count;
      count += 1;
      await whole(file, 'write', Buffer.from(mesh.buffer, mesh.byteOffset, BYTES), at);
      return at;
    },
    read: async (at) => {
      const mesh = new Float32Array(MESH_POINTS * 3);
      await whole(file, 'read', Buffer.from(mesh.buffer), at);
      return mesh;
    },
    close: () => file.close(),
  };
};

const whole = async (file: FileHandle, act: 'read' | 'write', bytes: Buffer, at: number) => {
  const done =
    act === 'read'
      ? (await file.read(bytes, 0, BYTES, at * BYTES)).bytesRead
      : (await file.write(bytes, 0, BYTES, at * BYTES)).bytesWritten;
  if (done !== BYTES) throw new Error(`mesh ${at}: expected ${BYTES} bytes; ${done} came`);
};
