/**
 * What an issuer sent along with the person who comes back from it. Read when this file is loaded, which the page does first: the router
 * looks at the address too.
 * SECURITY: D218: the address stays in the history, in screenshots and on screens. The token does not.
 */
let answer = readAddress();

function readAddress(): URLSearchParams | undefined {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has('state') || !(given.has('id_token') || given.has('error'))) return undefined;
  history.replaceState(null, '', '#/sign-in');
  return given;
}

export const hasIssuerResponse = (): boolean => answer !== undefined;

/** Gives the answer, once. */
export function takeIssuerResponse(): URLSearchParams | undefined {
  const given = answer;
  answer = undefined;
  return given;
}
