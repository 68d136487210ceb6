import { mkdir } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import type { Files } from '../../storage/files.ts';
import type { Admit } from '../../storage/write-all.ts';

/** The files of one request until a job or an upload takes them over. */
export type Incoming = {
  /** A folder for this request only, created at the first call. Failure storage_full | concurrency_limited. */
  readonly folder: () => Promise<string>;
  /** Has to be called with the number of bytes before they are written. Failure storage_full | concurrency_limited. */
  readonly admit: Admit;
  /** Removes the folder with everything that is still in it. */
  readonly discard: () => Promise<void>;
};

/**
 * Limits the bytes that one account has arriving at this process, over all its open requests. Without the limit one
 * account could fill the disk with bodies and fetched files that never become a job.
 */
export const createIncoming = (
  files: Pick<Files, 'temporary' | 'remove' | 'space'>,
  { accountIncomingBytes: limit }: Pick<Config['files'], 'accountIncomingBytes'>,
) => {
  const arriving = new Map<string, number>();
  const of = (account: string) => arriving.get(account) ?? 0;
  const add = (account: string, bytes: number): void => {
    const sum = of(account) + bytes;
    if (sum > 0) arriving.set(account, sum);
    else arriving.delete(account);
  };
  const checkShare = (account: string, bytes: number): void => {
    if (of(account) + bytes <= limit) return;
    const detail = `The account has ${of(account)} bytes arriving; at most ${limit} bytes may arrive at a time.`;
    throw new Failure('concurrency_limited', { detail });
  };

  /** For a request whose Content-Length is `declared`; `ownedBy` has to be called before the body is read. */
  return (declared: number): Incoming & { readonly ownedBy: (account: string) => void } => {
    let account = '';
    let taken = 0;
    let made: Promise<string> | undefined;
    const make = async (): Promise<string> => {
      checkShare(account, declared);
      await files.space.demand(declared);
      const path = files.temporary();
      await mkdir(path, { mode: 0o700 });
      return path;
    };
    return {
      ownedBy: (name) => {
        account = name;
      },
      folder: () => {
        made ??= make();
        return made;
      },
      admit: async (bytes) => {
        checkShare(account, bytes);
        add(account, bytes);
        taken += bytes;
        await files.space.demand(bytes);
      },
      // A file that is opened after its caller disconnected fails, because the folder is gone.
      discard: async () => {
        const [path] = await Promise.allSettled([made]);
        if (path.status === 'fulfilled' && path.value) await files.remove(path.value);
        add(account, -taken);
        taken = 0;
      },
    };
  };
};
