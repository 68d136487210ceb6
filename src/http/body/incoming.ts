import { mkdir } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import { Failure } from '../../errors.ts';
import type { Files } from '../../storage/files.ts';
import type { Admit } from '../../storage/write-all.ts';

/** What one request brings, before a job or an upload has it. */
export type Incoming = {
  /** A folder of this request alone, made when it is first asked for. Failure storage_full | concurrency_limited. */
  readonly folder: () => Promise<string>;
  /** To be asked before bytes are written into the folder. Failure storage_full | concurrency_limited. */
  readonly admit: Admit;
  /** Removes the folder with whatever is left or was begun in it. */
  readonly discard: () => Promise<void>;
};

/**
 * Counts what is arriving at this process. Without the bound one account could fill the disk with bodies and fetched
 * files that never become anything, in as many requests at once as it likes.
 */
export const createIntake = (
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
    const detail = `The account has ${of(account)} bytes arriving; at most ${limit} may arrive at a time.`;
    throw new Failure('concurrency_limited', { detail });
  };

  /** For a request of `declared` bytes by its own words; whose it is, is known before anything comes. */
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
      // A file that is opened late, for a caller that hung up, has no folder any more to appear in.
      discard: async () => {
        const [path] = await Promise.allSettled([made]);
        if (path.status === 'fulfilled' && path.value) await files.remove(path.value);
        add(account, -taken);
        taken = 0;
      },
    };
  };
};
