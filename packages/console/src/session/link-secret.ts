/** The parameters of a link that brought the person here. They are read once, and then taken out of the address and its history. */
export function takeLinkParameters(): URLSearchParams {
  const [route = '', query = ''] = location.hash.slice(1).split('?');
  // SECURITY: the address stays in the history, in screenshots and on screens. The secret does not.
  if (query !== '') history.replaceState(history.state, '', `#${route}`);
  return new URLSearchParams(query);
}
