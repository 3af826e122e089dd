import {
  browserShelf,
  type Client,
  completed,
  createClient,
  PasskeyStamper,
  SessionStamper,
  type Stamper,
} from '@countersign/client';
import { apiBase, passkeyDomain } from './api.ts';
import { type RememberedSession, rememberedSession, rememberSession, wipeSession } from './database.ts';
import { makePasskey, organizationOfPasskey } from './passkeys.ts';

/** A person who is signed in. `reader` stamps with the key of the session. */
export interface Session extends RememberedSession {
  readonly reader: Client;
  /** The public key of the session, to tell it apart in the list of sessions. */
  readonly publicKey: string;
}

/** A working day. A shorter limit of the organization wins. */
const SESSION_SECONDS = '28800';

export const clientWith = (organizationId: string, stamper: Stamper): Client =>
  createClient({ baseUrl: apiBase(), organizationId, stamper });

/** A client whose every call asks for a passkey: one of `credentialIds`, or any of this site. */
export function passkeyClient(organizationId: string, credentialIds?: readonly string[]): Client {
  const stamper = new PasskeyStamper({
    rpId: passkeyDomain(),
    userVerification: 'required',
    ...(credentialIds && { credentialIds }),
  });
  return clientWith(organizationId, stamper);
}

/** The session that this browser still has. Undefined where it has none, or it is over. */
export async function restoreSession(): Promise<Session | undefined> {
  const remembered = await rememberedSession();
  if (remembered === undefined || remembered.expiresAtMs <= Date.now()) return undefined;
  const stamper = await SessionStamper.open(browserShelf());
  return { ...remembered, reader: clientWith(remembered.organizationId, stamper), publicKey: stamper.publicKey };
}

/** Opens a session: the passkey stamps the login of a key that this browser has just made. */
export async function signIn(organizationId: string, credentialIds?: readonly string[]): Promise<Session> {
  await wipeSession();
  const stamper = await SessionStamper.open(browserShelf());
  const login = await passkeyClient(organizationId, credentialIds).stampLogin({
    publicKey: stamper.publicKey,
    expirationSeconds: SESSION_SECONDS,
  });
  const { session: token } = completed(login);
  return rememberOpened(organizationId, stamper, token);
}

/** Remembers a session that the service has just opened for a key. */
export async function rememberOpened(organizationId: string, stamper: SessionStamper, token: string): Promise<Session> {
  const reader = clientWith(organizationId, stamper);
  const { userId, username, organizationName } = await reader.whoami();
  const remembered = { organizationId, organizationName, userId, userName: username, expiresAtMs: expiryOf(token) };
  await rememberSession(remembered);
  return { ...remembered, reader, publicKey: stamper.publicKey };
}

/** Signs in where the organization is not known: the passkey tells it, and then stamps. Undefined if the passkey does not tell. */
export async function signInAnywhere(): Promise<Session | undefined> {
  const organizationId = await organizationOfPasskey();
  return organizationId === undefined ? undefined : signIn(organizationId);
}

/** When a session token says that it ends. It is only shown: the service decides. */
function expiryOf(token: string): number {
  try {
    const payload = token.split('.')[1] ?? '';
    const { exp } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { exp?: number };
    if (typeof exp === 'number') return exp * 1000;
  } catch {
    // A token in another form says nothing about its end.
  }
  return Date.now() + Number(SESSION_SECONDS) * 1000;
}

/** What a link with a one-time key says. `invitationId` is there for an invitation. */
export interface KeyLink {
  readonly organizationId: string;
  readonly userId: string;
  readonly token: string;
  readonly invitationId?: string | undefined;
}

/** Reads a link with a one-time key. Undefined where something is missing, for example because it was cut off. */
export function readKeyLink(given: URLSearchParams): KeyLink | undefined {
  const [organizationId, userId, token, invitationId] = ['organization', 'user', 'token', 'invitation'].map(
    (name) => given.get(name) ?? undefined,
  );
  if (!organizationId || !userId || !token || !/^[0-9a-f]{64}$/.test(token)) return undefined;
  return { organizationId, userId, token, invitationId };
}

/** The one-time key of the link registers a passkey, which then signs in. The key is worth nothing afterwards. */
export async function openLink({ organizationId, userId, token, invitationId }: KeyLink, passkeyName: string): Promise<Session> {
  // Only such links need this code, so it is loaded with them.
  const { oneTimeStamper } = await import('./one-time-key.ts');
  const client = clientWith(organizationId, oneTimeStamper(token));
  const authenticator = await makePasskey(passkeyName, { organizationId, userId, userName: passkeyName });
  if (invitationId === undefined) completed(await client.recoverUser({ userId, authenticator }));
  else completed(await client.acceptInvitation({ invitationId, userId, authenticator }));
  return signIn(organizationId, [authenticator.attestation.credentialId]);
}

/** Ends the session at the service where that is possible, and deletes it here in any case. */
export async function signOut({ reader, publicKey, userId }: Session): Promise<void> {
  try {
    const { apiKeys } = await reader.getApiKeys({ userId });
    const own = apiKeys.find(({ credential }) => credential.publicKey === publicKey);
    if (own !== undefined) await reader.endSessions({ apiKeyId: own.apiKeyId });
  } catch {
    // The service may be away, or the session over. The key is deleted here, and ends by itself there.
  }
  await wipeSession();
}
