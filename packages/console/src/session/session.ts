import {
  browserShelf,
  type Client,
  completed,
  createClient,
  PasskeyStamper,
  SessionStamper,
  type Stamp,
  type Stamper,
} from '@countersign/client';
import { builtInProfiles } from '@countersign/contract';
import { apiBase, passkeyDomain } from './api.ts';
import { forgetInbox, type RememberedSession, rememberedSession, rememberSession, wipeSession } from './database.ts';
import { noteOrganization } from './known-organizations.ts';
import { organizationOfPasskey } from './passkeys.ts';

/**
 * A signed-in person. `reader` stamps with the session key.
 * SECURITY: D293: script in this page can use the key, so the service limits each session of the console by a profile.
 */
export interface Session extends RememberedSession {
  readonly reader: Client;
  /** Public key of the session, to find it in the list of sessions. */
  readonly publicKey: string;
}

/** Session lifetime. The organization may set a shorter one. */
const SESSION_SECONDS = '28800';

export const clientWith = (organizationId: string, stamper: Stamper): Client =>
  createClient({ baseUrl: apiBase(), organizationId, stamper });

/** A client that requires a passkey per call: one of `credentialIds`, or any of this site. */
export function passkeyClient(organizationId: string, credentialIds?: readonly string[]): Client {
  return clientWith(organizationId, passkeyStamper(credentialIds));
}

function passkeyStamper(credentialIds?: readonly string[]): PasskeyStamper {
  return new PasskeyStamper({
    rpId: passkeyDomain(),
    userVerification: 'required',
    ...(credentialIds && { credentialIds }),
  });
}

/** Remembers which passkey the person chose. */
class NotingStamper implements Stamper {
  credentialId: string | undefined;
  readonly #passkey: PasskeyStamper;

  constructor(passkey: PasskeyStamper) {
    this.#passkey = passkey;
  }

  async stamp(body: string): Promise<Stamp> {
    const stamp = await this.#passkey.stamp(body);
    this.credentialId = (JSON.parse(stamp.stampHeaderValue) as { credentialId?: string }).credentialId;
    return stamp;
  }
}

/** The stored session of this browser. Undefined if it does not exist, has expired, or was opened without a profile by an earlier release. */
export async function restoreSession(): Promise<Session | undefined> {
  const remembered = await rememberedSession();
  if (remembered === undefined) return undefined;
  if (remembered.expiresAtMs <= Date.now()) {
    // SECURITY: D1161: the inbox does not outlive the session. A pending sign-in does.
    await forgetInbox();
    return undefined;
  }
  if (remembered.sessionProfileId === undefined) {
    await wipeSession();
    return undefined;
  }
  const stamper = await SessionStamper.open(browserShelf());
  return { ...remembered, reader: clientWith(remembered.organizationId, stamper), publicKey: stamper.publicKey };
}

/** Opens a session: creates a key, and the passkey stamps its login. */
export async function signIn(organizationId: string, credentialIds?: readonly string[]): Promise<Session> {
  await wipeSession();
  const stamper = await SessionStamper.open(browserShelf());
  const passkey = new NotingStamper(passkeyStamper(credentialIds));
  const login = await clientWith(organizationId, passkey).stampLogin({
    publicKey: stamper.publicKey,
    expirationSeconds: SESSION_SECONDS,
    sessionProfileId: builtInProfiles.console.sessionProfileId,
  });
  const { session: token } = completed(login);
  return rememberOpened(organizationId, stamper, token, passkey.credentialId);
}

/** Stores a new session. `openedWith` is the credential id of the passkey that opened it. */
export async function rememberOpened(
  organizationId: string,
  stamper: SessionStamper,
  token: string,
  openedWith?: string,
): Promise<Session> {
  const reader = clientWith(organizationId, stamper);
  const { userId, username, organizationName } = await reader.whoami();
  const { exp, session_profile_id: sessionProfileId } = claimsOf(token);
  const expiresAtMs = exp === undefined ? Date.now() + Number(SESSION_SECONDS) * 1000 : exp * 1000;
  const remembered = { organizationId, organizationName, userId, userName: username, expiresAtMs, sessionProfileId, openedWith };
  await rememberSession(remembered);
  await noteOrganization(remembered);
  return { ...remembered, reader, publicKey: stamper.publicKey };
}

/** Signs in without an organization id: the passkey contains it. Undefined if it does not. */
export async function signInAnywhere(): Promise<Session | undefined> {
  const organizationId = await organizationOfPasskey();
  return organizationId === undefined ? undefined : signIn(organizationId);
}

/** Whether the session only reads, so that each change needs a passkey. */
export const isReadOnly = ({ sessionProfileId }: Session): boolean =>
  sessionProfileId === builtInProfiles.console.sessionProfileId;

/** Claims of a session token, for display only. Empty for a token in another format. */
function claimsOf(token: string): { readonly exp?: number; readonly session_profile_id?: string } {
  try {
    const payload = token.split('.')[1] ?? '';
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  } catch {
    return {};
  }
}

/** Ends the session at the service if possible, and always deletes it here. */
export async function signOut({ reader, publicKey, userId }: Session): Promise<void> {
  try {
    const { apiKeys } = await reader.getApiKeys({ userId });
    const own = apiKeys.find(({ credential }) => credential.publicKey === publicKey);
    if (own !== undefined) await reader.endSessions({ apiKeyId: own.apiKeyId });
  } catch {
    // The service may be unreachable, or the session expired. The key is deleted here and expires there.
  }
  await wipeSession();
}
