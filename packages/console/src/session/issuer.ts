import { browserShelf, SessionStamper } from '@countersign/client';
import type { SignInIssuer } from '@countersign/contract';
import { words } from '../words/index.ts';
import { type PendingSignIn, rememberPending, takePending, wipeSession } from './database.ts';
import { logInWithIdToken } from './relay.ts';
import { rememberOpened, type Session } from './session.ts';
import { issuerOf } from './token-issuer.ts';

/** Timeout of the sign-in at the issuer. */
const PENDING_MS = 10 * 60_000;

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Redirect URI, which must be registered at the issuer. */
export const returnAddress = (): string => new URL('.', document.baseURI).href;

/**
 * Redirects the person to an issuer, which returns an ID token for the key of this browser.
 * OpenID Connect Core 1.0 section 3.2, with `response_type=id_token`: the token is in the fragment, so that no server sees it and
 * this page calls no other origin. There is no code, so PKCE does not apply; the nonce binds the token to the key, and the state binds the
 * response to this browser.
 */
export async function leaveForIssuer(organizationId: string, asking: SignInIssuer): Promise<void> {
  const { issuer, authorizationEndpoint, clientId } = asking;
  const address = new URL(authorizationEndpoint);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') throw new Error(words.identity.signIn.issuerRefused);
  await wipeSession();
  const { publicKey } = await SessionStamper.open(browserShelf());
  const state = hex(crypto.getRandomValues(new Uint8Array(32)));
  const nonce = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(publicKey))));
  await rememberPending({ state, issuer, organizationId, startedAtMs: Date.now() });
  const parameters = {
    client_id: clientId,
    response_type: 'id_token',
    response_mode: 'fragment',
    redirect_uri: returnAddress(),
    scope: 'openid',
    nonce,
    state,
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address.href);
}

/** Opens a session with the response of the issuer. */
export async function signInByIssuerResponse(given: URLSearchParams): Promise<Session> {
  const pending = await takePending();
  const oidcToken = given.get('id_token');
  // SECURITY: D218: accept only a response to a request of this browser. An attacker who sends their own token does not know the state.
  if (pending === undefined || !isAnswerTo(pending, given.get('state')))
    throw new Error(words.identity.signIn.unexpectedResponse);
  if (!oidcToken) throw new Error(words.identity.signIn.issuerRefused);
  const { organizationId, issuer } = pending;
  // SECURITY: D234: an issuer knows nonce and state, and could return a token that it obtained at another issuer.
  if (issuerOf(oidcToken) !== issuer) throw new Error(words.identity.signIn.unexpectedResponse);
  const stamper = await SessionStamper.open(browserShelf());
  const session = await logInWithIdToken(organizationId, { oidcToken, publicKey: stamper.publicKey });
  return rememberOpened(organizationId, stamper, session);
}

function isAnswerTo({ state, startedAtMs }: PendingSignIn, given: string | null): boolean {
  const age = Date.now() - startedAtMs;
  return given === state && age >= 0 && age < PENDING_MS;
}
