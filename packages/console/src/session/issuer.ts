import { browserShelf, SessionStamper } from '@countersign/client';
import type { SignInIssuer } from '@countersign/contract';
import { words } from '../words/index.ts';
import { type PendingSignIn, rememberPending, takePending, wipeSession } from './database.ts';
import { linkState } from './issuer-response.ts';
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
  await wipeSession();
  const { publicKey } = await SessionStamper.open(browserShelf());
  await leave(asking, { organizationId, boundTo: publicKey, state: randomState() });
}

const randomState = () => hex(crypto.getRandomValues(new Uint8Array(32)));

/**
 * Redirects a person who is signed in to an issuer, to link an identity. The token is for one of the person's passkeys, which must stamp the
 * request that links it.
 */
export async function leaveToLink(
  { organizationId, userId }: Session,
  credentialId: string,
  asking: SignInIssuer,
): Promise<void> {
  const link = { userId, credentialId };
  await leave(asking, { organizationId, boundTo: credentialId, state: linkState(randomState()), link });
}

interface Leaving extends Pick<PendingSignIn, 'organizationId' | 'state' | 'link'> {
  /** The text whose SHA-256 is the nonce. */
  readonly boundTo: string;
}

async function leave({ issuer, authorizationEndpoint, clientId }: SignInIssuer, { boundTo, ...pending }: Leaving): Promise<void> {
  const address = new URL(authorizationEndpoint);
  if (address.protocol !== 'https:' && address.protocol !== 'http:') throw new Error(words.identity.signIn.issuerRefused);
  const nonce = hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(boundTo))));
  await rememberPending({ ...pending, issuer, startedAtMs: Date.now() });
  const parameters = {
    client_id: clientId,
    response_type: 'id_token',
    response_mode: 'fragment',
    redirect_uri: returnAddress(),
    scope: 'openid',
    nonce,
    state: pending.state,
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  location.assign(address.href);
}

/** Opens a session with the response of the issuer. */
export async function signInByIssuerResponse(given: URLSearchParams): Promise<Session> {
  const { organizationId, oidcToken } = await takeAnswer(given, ({ link }) => link === undefined);
  const stamper = await SessionStamper.open(browserShelf());
  const session = await logInWithIdToken(organizationId, { oidcToken, publicKey: stamper.publicKey });
  return rememberOpened(organizationId, stamper, session);
}

/** An identity that a person of this browser is about to link. */
export interface IdentityToLink {
  readonly issuer: string;
  readonly oidcToken: string;
  /** The passkey that must stamp the request. */
  readonly credentialId: string;
}

/**
 * The identity in the response of an issuer.
 * SECURITY: D996: an attacker who opens their own response in the browser of a person would link their identity to that person, and sign in as
 * them. Only the person who left for the issuer in this browser links what comes back.
 */
export async function identityInResponse(given: URLSearchParams, { organizationId, userId }: Session): Promise<IdentityToLink> {
  const isOwn = (pending: PendingSignIn) => pending.link?.userId === userId && pending.organizationId === organizationId;
  const { issuer, oidcToken, link } = await takeAnswer(given, isOwn);
  return { issuer, oidcToken, credentialId: link?.credentialId ?? '' };
}

/** The pending request and the token of a response to it. */
async function takeAnswer(given: URLSearchParams, isMeant: (pending: PendingSignIn) => boolean) {
  const pending = await takePending();
  const oidcToken = given.get('id_token');
  // SECURITY: D218: accept only a response to a request of this browser. An attacker who sends their own token does not know the state.
  if (pending === undefined || !isAnswerTo(pending, given.get('state')) || !isMeant(pending))
    throw new Error(words.identity.signIn.unexpectedResponse);
  if (!oidcToken) throw new Error(words.identity.signIn.issuerRefused);
  // SECURITY: D234: an issuer knows nonce and state, and could return a token that it obtained at another issuer.
  if (issuerOf(oidcToken) !== pending.issuer) throw new Error(words.identity.signIn.unexpectedResponse);
  return { ...pending, oidcToken };
}

function isAnswerTo({ state, startedAtMs }: PendingSignIn, given: string | null): boolean {
  const age = Date.now() - startedAtMs;
  return given === state && age >= 0 && age < PENDING_MS;
}
