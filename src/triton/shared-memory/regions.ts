/** Regions of system shared memory: files in /dev/shm that Triton maps too. */
import { readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { reasonOf, type Wire } from '../protocol/wire.ts';
import { isOrphan, newRegionName } from './region-names.ts';

export const folder = '/dev/shm';
const MiB = 1024 * 1024;
/** One read or write of Linux ends at 2 GiB. */
const mostAtOnce = 1024 * MiB;
/** So little is copied before a thread that would do it has woken up. */
const quickBytes = MiB / 2;

export type Region = {
  readonly name: string;
  readonly capacity: number;
  readonly file: FileHandle;
};

/** Each request borrows a region of its own. Regions are reused, as making one takes longer than sending a frame. */
export class RegionPool {
  readonly #wire: Wire;
  readonly #all = new Set<Region>();
  readonly #free: Region[] = [];
  /** Regions that Triton refused to unregister, because a request whose caller has left still uses them. */
  readonly #unwanted = new Set<string>();
  #closed = false;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** The smallest free region that holds this many bytes. Where there is none, a new one replaces the largest free one. */
  async borrow(bytes: number): Promise<Region> {
    if (this.#closed) throw new Error('the transport is closed');
    this.#free.sort((a, b) => a.capacity - b.capacity);
    const fitting = this.#free.findIndex(({ capacity }) => capacity >= bytes);
    if (fitting >= 0) return this.#free.splice(fitting, 1)[0] ?? this.#create(bytes);
    const tooSmall = this.#free.pop();
    if (tooSmall) await this.drop(tooSmall);
    return this.#create(bytes);
  }

  /** Takes back a region whose request was answered: Triton no longer writes to it. */
  async giveBack(region: Region): Promise<void> {
    if (this.#closed) await this.drop(region);
    else this.#free.push(region);
  }

  /** Removes a region, also one to which an unanswered request may still write: Triton keeps its mapping until that ends. */
  async drop(region: Region): Promise<void> {
    if (!this.#all.delete(region)) return;
    rmSync(join(folder, region.name), { force: true });
    await region.file.close();
    this.#unwanted.add(region.name);
    for (const name of this.#unwanted) {
      if (await unregister(this.#wire, name)) this.#unwanted.delete(name);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((region) => this.drop(region)));
  }

  async #create(bytes: number): Promise<Region> {
    // A small request may have no tensor in its region; Triton cannot map an empty one.
    const capacity = Math.max(1, Math.ceil(bytes / MiB)) * MiB;
    const name = newRegionName();
    const region = { name, capacity, file: await open(join(folder, name), 'wx+', 0o600) };
    this.#all.add(region);
    try {
      await fill(region);
      await register(this.#wire, region);
      if (this.#closed) throw new Error('the transport is closed');
      return region;
    } catch (error) {
      await this.drop(region);
      throw error;
    }
  }
}

/** Takes the memory now: if it runs out later, when Triton writes an answer, that kills Triton (SIGBUS). */
const fill = async ({ file, capacity }: Region): Promise<void> => {
  const zeros = Buffer.alloc(MiB);
  for (let at = 0; at < capacity; at += MiB) await writeAll(file, zeros, at);
};

/** Tells Triton of the region. Throws an Error with its reason when it cannot map it. */
export const register = async (wire: Wire, region: Region): Promise<void> => {
  const reply = await wire.post(`/systemsharedmemory/region/${region.name}/register`, {
    key: `/${region.name}`,
    offset: 0,
    byte_size: region.capacity,
  });
  if (reply.status !== 200)
    throw new Error(`Triton cannot use our shared memory: ${reasonOf(reply)}`);
};

/** Whether Triton no longer has the region; a server that is gone has none. */
const unregister = async (wire: Wire, name: string): Promise<boolean> => {
  try {
    return (await wire.post(`/systemsharedmemory/region/${name}/unregister`)).status === 200;
  } catch {
    return true;
  }
};

/** Removes the regions of processes that were killed, in /dev/shm and in Triton. */
export const sweep = async (wire: Wire): Promise<void> => {
  for (const name of readdirSync(folder).filter(isOrphan)) {
    rmSync(join(folder, name), { force: true });
  }
  const status = await wire.get('/systemsharedmemory/status');
  const registered = z
    .array(z.object({ name: z.string() }))
    .parse(JSON.parse(status.body.toString() || '[]'));
  for (const { name } of registered) if (isOrphan(name)) await unregister(wire, name);
};

export const writeAll = async (file: FileHandle, data: Buffer, position: number): Promise<void> => {
  let done = data.length <= quickBytes ? writeSync(file.fd, data, 0, data.length, position) : 0;
  while (done < data.length) {
    const { bytesWritten } = await file.write(
      data,
      done,
      Math.min(mostAtOnce, data.length - done),
      position + done,
    );
    done += bytesWritten;
  }
};

/** Fills `data`. */
export const readAll = async (file: FileHandle, data: Buffer, position: number): Promise<void> => {
  if (data.length <= quickBytes) return readNow(file, data, position);
  let done = 0;
  while (done < data.length) {
    const { bytesRead } = await file.read(
      data,
      done,
      Math.min(mostAtOnce, data.length - done),
      position + done,
    );
    if (bytesRead === 0) throw endsEarly(data.length - done);
    done += bytesRead;
  }
};

const readNow = ({ fd }: FileHandle, data: Buffer, position: number): void => {
  const bytes = readSync(fd, data, 0, data.length, position);
  if (bytes < data.length) throw endsEarly(data.length - bytes);
};

const endsEarly = (bytes: number): Error => new Error(`the region ends ${bytes} bytes early`);
