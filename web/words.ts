/** How things are told to people. Pure. */

/** While a request is repeated. */
export const TRYING_AGAIN = 'The service does not answer yet; trying again …';

/** Where the service does not take the one that was chosen, however often it is asked. */
export const ANOTHER_FILE = 'Choose another file to see the price.';

/** Why there is no button that copies. */
export const NO_CLIPBOARD =
  'Select the text to copy it: browsers let a page copy by itself only over https, and on the machine of the service.';

export const creditsText = (credits: number): string =>
  `${credits.toLocaleString('en')} ${credits === 1 ? 'credit' : 'credits'}`;

/** "20.5 kB": decimal units, as file managers show them. */
export const bytesText = (bytes: number): string => {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** at;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 100 && at > 0 ? 1 : 0 })} ${units[at]}`;
};

/** "about 40 s", "about 3 min" */
export const etaText = (seconds: number): string =>
  seconds < 90
    ? `about ${Math.max(1, Math.round(seconds))} s`
    : `about ${Math.round(seconds / 60)} min`;

/** "4.2 s", "1:05" */
export const durationText = (seconds: number): string => {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};

/** In the zone and the form of the reader. */
export const timeText = (time: string | number): string => new Date(time).toLocaleString();

export const sizeText = (size: string): string => size.replace('x', ' × ');

/** What an error says. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** "output_format" is "Output format". */
export const labelOf = (name: string): string => {
  const words = name.replaceAll('_', ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const sentence = (text: string): string => {
  const trimmed = text.trim();
  const start = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
};

/**
 * The service's sentence for users of the page: names of fields and values as the form shows them. What is quoted, an
 * address or the name of a file stays.
 */
export const inFormWords = (text: string): string =>
  text
    .replaceAll('`', '')
    .replace(/(?<![\w"./“-])[a-z]+(?:_[a-z]+)+(?![\w"/”-]|\.\w)/g, (name) =>
      name.replaceAll('_', ' '),
    );
