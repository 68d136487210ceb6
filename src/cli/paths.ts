/** Where inputs come from and results go to. No file is read or written here; what cannot work is refused before anything is paid. */
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { kindOfExtension } from '../../client/extensions.ts';
import { keptIds } from '../contract/spelling.ts';
import { Refused } from './refused.ts';

/** A path, an address, or the id of a job or an upload, as the caller wrote it. */
export type Source = string;

/** Whether the service finds it by its name. A file that is named like an id is a file. */
export const isRemote = (source: Source): boolean => isUrl(source) || isId(source);

const isUrl = (source: Source): boolean => /^https?:\/\//i.test(source);

const isId = (source: Source): boolean =>
  Object.values(keptIds).some((form) => form.test(source)) && !existsSync(source);

export const checkSource = (source: Source): void => {
  if (isRemote(source)) return;
  if (!existsSync(source)) throw new Refused(`There is no file ${source}.`);
  if (!statSync(source).isFile()) throw new Refused(`${source} is not a file.`);
};

/**
 * The path of each source's result. With several sources, and where it is a folder, `output` names the folder, in which a
 * result gets the name that `named` makes of its source's name; it is made where it is named with a slash at its end.
 */
export const targetsOf = (
  sources: readonly Source[],
  output: string,
  named: (name: string, at: number) => string,
): string[] => {
  const isFolder = isFolderAt(output);
  if (sources.length > 1 && !isFolder)
    throw new Refused(
      `The output of several files must be a folder that exists, or a name that ends with a slash; got ${output}.`,
    );
  const targets = isFolder
    ? sources.map((source, at) => join(output, named(nameOf(source), at)))
    : [output];
  const twice = targets.find((target, at) => targets.indexOf(target) !== at);
  if (twice) throw new Refused(`Two of the files would both become ${twice}.`);
  if (isFolder && existsSync(dirname(resolve(output)))) mkdirSync(output, { recursive: true });
  return targets;
};

export const isFolderAt = (path: string): boolean =>
  /[/\\]$/.test(path) || (existsSync(path) && statSync(path).isDirectory());

/** The path in which the file's name is. */
export const pathOf = (source: Source): string => {
  if (!isUrl(source)) return source;
  if (!URL.canParse(source))
    throw new Refused(`Expected an address such as https://example.org/a.png; got ${source}.`);
  return new URL(source).pathname;
};

/** What the source probably is; undefined where its name does not tell. */
export const kindByName = (source: Source): 'image' | 'video' | 'audio' | undefined =>
  kindOfExtension[extname(pathOf(source)).slice(1).toLowerCase()];

/** The file's name without its ending; of the address of a job's result, the job's id. */
const nameOf = (source: Source): string => {
  const [, job] = /\/v1\/jobs\/(job_\w+)\/result$/.exec(pathOf(source)) ?? [];
  if (job) return job;
  const name = isUrl(source) ? decoded(pathOf(source)) : source;
  return basename(name, extname(name)) || 'result';
};

/** "a%20b" as "a b". What is encoded in another way stays as it is, and what no file name may have becomes "_". */
const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path).replace(/\p{Cc}/gu, '_');
  } catch {
    return path;
  }
};

/** Refuses a target that would replace one of the sources, or, without `force`, any other file. */
export const checkTarget = (
  target: string,
  sources: readonly Source[],
  { force }: { readonly force: boolean },
): void => {
  const folder = dirname(resolve(target));
  if (!existsSync(folder)) throw new Refused(`There is no folder ${folder} for the result.`);
  if (!existsSync(target)) return;
  const own = sources.filter((source) => !isRemote(source)).map((source) => realpathSync(source));
  if (own.includes(realpathSync(target)))
    throw new Refused(`The result would replace the source ${target}. Give another --output.`);
  if (!force)
    throw new Refused(`${target} exists already. Give another --output, or --force to replace it.`);
};
