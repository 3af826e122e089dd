import { CountersignError, completed, type KeyShelf, SessionStamper, type Stamper } from '@countersign/client';
import { forgetRecovery, linkShelf } from './database.ts';
import { makePasskey } from './make-passkey.ts';
import { clientWith, type Session, signIn } from './session.ts';

/** Content of a link with a one-time key: a P-256 private key in hexadecimal. */
export interface KeyLink {
  readonly organizationId: string;
  readonly token: string;
}

/** A one-time key that the service knows, and what it says about it. */
export interface CheckedLink {
  readonly organizationId: string;
  readonly organizationName: string;
  readonly userId: string;
  readonly userName: string;
  /** Present if the key accepts an invitation. */
  readonly invitationId?: string | undefined;
  /** The passkeys of the person. */
  readonly credentialIds: readonly string[];
  /** Whether the key is one that this browser made in exchange for that of the link. */
  readonly isExchanged: boolean;
  readonly stamper: Stamper;
  readonly shelf: KeyShelf;
}

/** Why a link cannot register a passkey: it expired, the service does not know its key, or the person has an MFA policy. */
export type LinkProblem = 'expired' | 'unknown' | 'mfa';

const TOKEN = /^[0-9a-f]{64}$/;
const PASTED_KEY = /^([0-9a-f-]{36})\.[0-9a-f-]{36}\.[0-9a-f-]{36}\.([0-9a-f]{64})$/;

/** Parses the parameters of a link with a one-time key. Undefined if it is incomplete. */
export function readKeyLink(given: URLSearchParams): KeyLink | undefined {
  const organizationId = given.get('organization');
  const token = given.get('token');
  return organizationId && token && TOKEN.test(token) ? { organizationId, token } : undefined;
}

/** Parses what a person pasted: a whole link, or the key in an invitation mail (organization, invitation, user, key). */
export function readPastedKey(text: string): KeyLink | undefined {
  const given = text.replaceAll(/\s/g, '');
  const [, organizationId, token] = PASTED_KEY.exec(given) ?? [];
  if (organizationId !== undefined && token !== undefined) return { organizationId, token };
  return readKeyLink(new URLSearchParams(given.slice(given.indexOf('?') + 1)));
}

/**
 * Asks the service about the key of a link. Throws if the service cannot be reached.
 * SECURITY: D310: nothing is created on the device before the service has accepted the key.
 */
export async function checkLink({ organizationId, token }: KeyLink): Promise<CheckedLink | LinkProblem> {
  // Loaded on demand, because only these links need it.
  const { oneTimeStamper } = await import('./one-time-key.ts');
  let own: ReturnType<typeof oneTimeStamper>;
  try {
    own = oneTimeStamper(token);
  } catch {
    return 'unknown';
  }
  const shelf = linkShelf(own.publicKey);
  const found = await askAbout(organizationId, own.stamper, shelf);
  // This browser may have exchanged the key when the link was opened before.
  return found === 'unknown' ? exchangedAlready(organizationId, shelf) : found;
}

/** As `checkLink`, for the key that this browser made in exchange. */
export async function exchangedAlready(organizationId: string, shelf: KeyShelf): Promise<CheckedLink | LinkProblem> {
  if ((await shelf.get().catch(() => undefined)) === undefined) return 'unknown';
  return askAbout(organizationId, await SessionStamper.open(shelf), shelf);
}

/** As `checkLink`, for a key that is known to a stamper. */
export async function askAbout(organizationId: string, stamper: Stamper, shelf: KeyShelf): Promise<CheckedLink | LinkProblem> {
  try {
    const { organizationName, userId, username, oneTimeKey } = await clientWith(organizationId, stamper).whoami();
    if (oneTimeKey === undefined) return 'unknown';
    if (!oneTimeKey.usable) return 'mfa';
    const { invitationId, credentialIds, exchanged: isExchanged } = oneTimeKey;
    const userName = username;
    return { organizationId, organizationName, userId, userName, invitationId, credentialIds, isExchanged, stamper, shelf };
  } catch (error) {
    const isAboutKey = error instanceof CountersignError && [400, 401, 403, 404].includes(error.status);
    if (!isAboutKey || ['IP_NOT_ALLOWED', 'TIMESTAMP_INVALID'].includes(error.code)) throw error;
    return error.code === 'API_KEY_EXPIRED' ? 'expired' : 'unknown';
  }
}

/**
 * Replaces the key of the link by one that no script can read, and that only this browser has. It is deleted after the registration.
 * SECURITY: D312: the link stays in the history and the session files of the browser. Its key no longer works after this.
 * Called at the first action of the person, not when the link is opened: programs that scan mail open links too.
 */
export async function exchangeKey(link: CheckedLink): Promise<CheckedLink> {
  if (link.isExchanged) return link;
  const { organizationId, userId, invitationId, shelf } = link;
  // Stored first: if the response is lost, opening the link again finds the key here.
  const stamper = await SessionStamper.open(shelf).catch(() => undefined);
  // Some browsers store no keys in private windows. The key of the link then ends with the registration.
  if (stamper === undefined) return link;
  const { publicKey } = stamper;
  const parameters = { userId, publicKey, ...(invitationId !== undefined && { invitationId }) };
  completed(await clientWith(organizationId, link.stamper).exchangeOneTimeKey(parameters));
  return { ...link, stamper, isExchanged: true };
}

/** The link stopped working after the page had checked it. */
export class LinkEndedError extends Error {
  readonly problem: LinkProblem;

  constructor(problem: LinkProblem) {
    super('The link no longer works.');
    this.problem = problem;
  }
}

/**
 * Registers a passkey with the one-time key, and signs in with it.
 * SECURITY: D388: another tab or device may have used the key since this page was opened. Ask again before the device creates a passkey that no
 * one could sign in with.
 */
export async function registerPasskey({ organizationId, stamper, shelf }: CheckedLink, passkeyName: string): Promise<Session> {
  const current = await askAbout(organizationId, stamper, shelf);
  if (typeof current === 'string') throw new LinkEndedError(current);
  const { userId, userName, invitationId, credentialIds } = current;
  const client = clientWith(organizationId, stamper);
  const authenticator = await makePasskey(passkeyName, { organizationId, userId, userName }, credentialIds);
  if (invitationId === undefined) completed(await client.recoverUser({ userId, authenticator }));
  else completed(await client.acceptInvitation({ invitationId, userId, authenticator }));
  await Promise.all([shelf.clear(), forgetRecovery()]).catch(() => undefined);
  return signIn(organizationId, [authenticator.attestation.credentialId]);
}
