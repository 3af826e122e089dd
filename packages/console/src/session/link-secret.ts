/** Reads the parameters of a link once, and removes them from the address. */
export function takeLinkParameters(): URLSearchParams {
  const [route = '', query = ''] = location.hash.slice(1).split('?');
  // SECURITY: people share addresses and screenshots. The history of the browser still contains the link: see D312.
  if (query !== '') history.replaceState(history.state, '', `#${route}`);
  return new URLSearchParams(query);
}
