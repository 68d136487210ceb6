/**
 * A link that the service told, below the folder `page` of this page: its security policy lets it load nothing else, and
 * PUBLIC_URL may name another host or path than the one by which the page was opened.
 */
export const ownLink = (link: string, page: string): string => {
  const { href, pathname, search } = new URL(link, page);
  const at = href.startsWith(page) ? -1 : pathname.lastIndexOf('/v1/');
  return `${at < 0 ? pathname : `${new URL(page).pathname}${pathname.slice(at + 1)}`}${search}`;
};
