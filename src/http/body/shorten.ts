/** A caller's text for a message or a log, cut after `max` characters. */
export const shorten = (text: string, max = 100): string =>
  text.length > max ? `${text.slice(0, max)}…` : text;
