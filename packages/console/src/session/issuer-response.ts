/**
 * Response of an issuer in the address. Read when this module is loaded, before the router reads the address.
 * SECURITY: D218: removes the token from the address, which people share. The history keeps it, but it is bound to the key of this browser.
 */
const LINK = 'link.';
let answer = readAddress();

function readAddress(): URLSearchParams | undefined {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has('state') || !(given.has('id_token') || given.has('error'))) return undefined;
  history.replaceState(null, '', isLinkState(given.get('state')) ? '#/me' : '#/sign-in');
  return given;
}

/** The state of a request that links an identity. It only says which page handles the response. */
export const linkState = (random: string): string => `${LINK}${random}`;

function isLinkState(state: string | null): boolean {
  return state?.startsWith(LINK) ?? false;
}

export const hasIssuerResponse = (): boolean => answer !== undefined;

/** Returns the response once. */
export function takeIssuerResponse(): URLSearchParams | undefined {
  const given = answer;
  answer = undefined;
  return given;
}
