/** The lines by which tests/runner/in-turn.ts tells where in its files it is. */

type FileEnd = { readonly code: number; readonly seconds: number };
export type Told = {
  readonly printed: string;
  /** None when the process ended in the middle of the file. */
  readonly end?: FileEnd;
};

export const begins = (file: string): string => `\n# file ${file}`;
export const ends = ({ code, seconds }: FileEnd): string => `\n# ended ${code} ${seconds}`;
export const allEnded = '\n# all ended\n';

/** What each file printed, in their order; those that were not begun are missing. */
export const readTold = (printed: string): Told[] =>
  printed
    .split(/^# file /m)
    .slice(1)
    .map((part) => {
      const printed = part.slice(part.indexOf('\n') + 1);
      const [, code, seconds] = /^# ended (\d+) ([\d.]+)$/m.exec(part) ?? [];
      return code === undefined
        ? { printed }
        : { printed, end: { code: Number(code), seconds: Number(seconds) } };
    });
