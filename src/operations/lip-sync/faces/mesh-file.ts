import { type FileHandle, open } from 'node:fs/promises';
import { MESH_POINTS } from '../../../triton/clients/face-track.ts';

/** Bytes of one mesh: x, y and z of each point as 32-bit floats. */
const MESH_BYTES = MESH_POINTS * 3 * 4;

/** The meshes of a clip, on disk so that memory does not grow with the clip's length. */
export type MeshFile = {
  /** Returns its number, by which `read` gives it back. */
  add(mesh: Float32Array): Promise<number>;
  read(number: number): Promise<Float32Array>;
  close(): Promise<void>;
};

/** A new file. */
export const createMeshFile = async (path: string): Promise<MeshFile> =>
  meshesIn(await open(path, 'wx+'));

/** A file that was written before, to read. */
export const openMeshFile = async (path: string): Promise<MeshFile> => meshesIn(await open(path));

const meshesIn = (file: FileHandle): MeshFile => {
  let count = 0;
  return {
    add: async (mesh) => {
      const number = count;
      count += 1;
      const bytes = Buffer.from(mesh.buffer, mesh.byteOffset, MESH_BYTES);
      const { bytesWritten } = await file.write(bytes, 0, MESH_BYTES, number * MESH_BYTES);
      checkWhole(number, bytesWritten);
      return number;
    },
    read: async (number) => {
      const mesh = new Float32Array(MESH_POINTS * 3);
      const bytes = Buffer.from(mesh.buffer);
      const { bytesRead } = await file.read(bytes, 0, MESH_BYTES, number * MESH_BYTES);
      checkWhole(number, bytesRead);
      return mesh;
    },
    close: () => file.close(),
  };
};

const checkWhole = (number: number, bytes: number): void => {
  if (bytes !== MESH_BYTES)
    throw new Error(`mesh ${number}: expected ${MESH_BYTES} bytes, got ${bytes}`);
};
