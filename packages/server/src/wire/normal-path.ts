/** The path without its query. Repeated slashes count as one, because some clients join a base URL that ends in a slash. */
export function normalPath(url: string): string {
  // RFC 9112 section 3.2.2: proxies send the absolute form, and a server must accept it.
  const relative = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = relative.indexOf('?');
  const path = end === -1 ? relative : relative.slice(0, end);
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}
