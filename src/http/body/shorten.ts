/** A caller's own text as it may be shown back, or kept in a log: never whole when it is long. */
export const shorten = (text: string, most = 100): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
