/**
 * Response of an issuer in the address. Read when this module is loaded, before the router reads the address.
 * SECURITY: D218: removes the token from the address, which people share. The history keeps it, but it is bound to the key of this browser.
 */
let answer = readAddress();

function readAddress(): URLSearchParams | undefined {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has('state') || !(given.has('id_token') || given.has('error'))) return undefined;
  history.replaceState(null, '', '#/sign-in');
  return given;
}

export const hasIssuerResponse = (): boolean => answer !== undefined;

/** Returns the response once. */
export function takeIssuerResponse(): URLSearchParams | undefined {
  const given = answer;
  answer = undefined;
  return given;
}
