/** Reads the parameters of a link once, and removes them from the address and its history. */
export function takeLinkParameters(): URLSearchParams {
  const [route = '', query = ''] = location.hash.slice(1).split('?');
  // SECURITY: the address remains in the history and in screenshots. Remove the secret from it.
  if (query !== '') history.replaceState(history.state, '', `#${route}`);
  return new URLSearchParams(query);
}
