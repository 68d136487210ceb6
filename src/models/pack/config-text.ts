/** The config.pbtxt of a model in a release: what packing reads of it, and the release that it writes into it. */

/** What is read of a config.pbtxt; null where it does not say. */
type ConfigText = {
  readonly name: string | null;
  readonly backend: string | null;
  readonly release: string | null;
};

const releaseField =
  /(\bkey\s*:\s*"release"\s*[,;]?\s*value\s*:?\s*\{\s*string_value\s*:\s*)"([^"]*)"/;

export const readConfigText = (text: string): ConfigText => {
  const plain = withoutComments(text);
  const top = topLevel(plain);
  const word = (key: string): string | null =>
    new RegExp(`\\b${key}\\s*:\\s*"([^"]*)"`).exec(top)?.[1] ?? null;
  return {
    name: word('name'),
    backend: word('backend'),
    release: releaseField.exec(plain)?.[2] ?? null,
  };
};

/** The same with this release as its parameter, whichever it had. */
export const withRelease = (text: string, release: string): string => {
  // Comments keep their length, so that a place in the plain text is one in the text.
  const found = releaseField.exec(withoutComments(text));
  if (!found)
    return `${text.trimEnd()}\nparameters { key: "release", value: { string_value: "${release}" } }\n`;
  const [whole, before = ''] = found;
  const from = found.index + before.length;
  return `${text.slice(0, from)}"${release}"${text.slice(found.index + whole.length)}`;
};

/** Comments as blanks. A # within quotes begins none. */
const withoutComments = (text: string): string =>
  text.replace(/"(?:[^"\\\n]|\\.)*"|#[^\n]*/g, (found) =>
    found.startsWith('#') ? ' '.repeat(found.length) : found,
  );

/** Without everything in braces and brackets: tensors and parameters have names too. */
const topLevel = (plain: string): string => {
  const inner = /[{[][^{}[\]]*[}\]]/g;
  for (let text = plain; ; ) {
    const next = text.replace(inner, ' ');
    if (next === text) return text;
    text = next;
  }
};
