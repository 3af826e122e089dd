import { type OtpType, ServiceError } from '@countersign/contract';
import type { VerificationClaims } from '../../auth/otp/verification-token.ts';
import { contactFields, usersAt } from '../../organizations/contacts.ts';
import type { AuthProxyRecord, OneTimeCodeRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { type Charge, requireChargeable } from '../../pipeline/execute/daily-quotas.ts';
import { messageCharges } from '../../pipeline/execute/message-quotas.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import type { PlannedLogin } from './login.ts';
import { ending } from './session-lifetime.ts';
import { invalidVerificationToken } from './verification-token.ts';

/** Whether the organization's sign-in key stamped the request. Such a request can come from an unauthenticated caller. */
export function isBySignInKey({ organization, vault, stampedWith, byParent }: RunContext): boolean {
  const { parentId } = organization.profile;
  return stampedWith === vault.service.signInKey(byParent && parentId !== null ? parentId : organization.id);
}

/** The configuration of the auth proxy that stamped the request. Undefined for all other requests. */
export function authProxyOf(context: RunContext): AuthProxyRecord | undefined {
  const { organization, byParent } = context;
  return isBySignInKey(context) && !byParent ? organization.records.authProxy.get(organization.id) : undefined;
}

const isRoot = ({ profile }: Snapshot, userId: string) => profile.rootQuorum.userIds.includes(userId);

/** Recipient of a code. */
interface Destination {
  readonly otpType: OtpType;
  readonly contact: string;
}

/** Changes and charges of a request for a code. */
interface CodeOutcome {
  readonly changes: readonly LocalChange[];
  readonly charges?: readonly Charge[];
}

/**
 * Filters the changes that create and send a code. If the sign-in key stamped the request, the code is sent only if it would sign a user
 * in. A backend with a separate key can send codes to any contact, for sign-ups.
 * SECURITY: A73, A74: a code that is not sent is stored and counted like any other, and is rejected if a message would exceed a limit. So
 * neither this response nor a later one reveals whether a user has the contact. Separate counters, which nothing reads, take the same time
 * as counting messages.
 * A80: unauthenticated callers who know a few addresses can use at most half of the daily messages. The rest stays available to backends.
 */
export async function sentBySignInKey(
  context: RunContext,
  request: Destination,
  changes: readonly LocalChange[],
): Promise<CodeOutcome> {
  if (!isBySignInKey(context)) return { changes };
  const { organization, limits, counters, nowMs } = context;
  const charges = messageCharges(limits, { target: organization, home: organization }, changes);
  const shares = charges.map(shareOf);
  const all = [...charges, ...shares];
  await requireChargeable(counters, all, nowMs);
  // D842: an auth proxy sends a code to every contact, so that the message reveals nothing either.
  if (authProxyOf(context) !== undefined || signsIn(organization, request)) return { changes, charges: shares };
  return {
    changes: changes.filter(({ op }) => op !== 'putOutbox'),
    charges: all.map(({ organizationId, name, amount }) => ({ organizationId, name: `unsent-${name}`, amount })),
  };
}

/** The additional charge for a message of the sign-in key. Unauthenticated callers share half of the limit. */
function shareOf({ organizationId, name, amount, limit }: Charge): Charge {
  const share = { organizationId, name: `sign-in-${name}`, amount };
  if (limit === undefined) return share;
  const { value, setting, what } = limit;
  return { ...share, limit: { value: Math.ceil(value / 2), setting, what: `${what} for people who sign in without a stamp` } };
}

/** Whether a code for the contact would sign a user in through the sign-in key. */
function signsIn(organization: Snapshot, { otpType, contact }: Destination): boolean {
  const [only, second] = usersAt(organization, otpType, contact);
  return only !== undefined && second === undefined && !isRoot(organization, only.userId);
}

/**
 * Returns the address to send a code to. For the sign-in key, this is the address as stored for the user.
 * SECURITY: D232: users are found case-insensitively, and RFC 5321 section 2.4 lets each host decide whether `Ann@` is `ann@`.
 */
export function destinationOf(context: RunContext, { otpType, contact }: Destination): string {
  if (!isBySignInKey(context)) return contact;
  const [found] = usersAt(context.organization, otpType, contact);
  return found?.user[contactFields[otpType].contact] ?? contact;
}

/**
 * Whether a code may be tried. The sign-in key may only try codes that it requested.
 * SECURITY: A81: a backend protects its own codes, which may be short or sent by SMS. Callers must not bypass the backend to try them.
 */
export function mayTry(context: RunContext, code: OneTimeCodeRecord | undefined): boolean {
  return !isBySignInKey(context) || code?.submittedBy === context.submitterId;
}

/**
 * Rejects a token that names no key if the sign-in key stamped the request.
 * SECURITY: A79: a token that a backend requested may name no key. Its holder can log in if the backend stamps the login, but the relay
 * stamps the requests of all callers.
 */
export function requireBoundToken(context: RunContext, { publicKey }: VerificationClaims): void {
  if (!isBySignInKey(context) || publicKey !== undefined) return;
  throw invalidVerificationToken('it names no key, so logging in with it needs the stamp of a credential');
}

/**
 * Denies the sign-in key a session of a root quorum member.
 * SECURITY: D219: otherwise, an attacker who reads the mail of enough members controls the root quorum, and can make that permanent.
 * D841: in a sub-organization, the root quorum is the person whom the parent's auth proxy signs in. The sub-organization can turn this off
 * with its features for codes.
 */
export function requireNoRootSession(context: RunContext, userId: string): void {
  if (context.byParent || !isBySignInKey(context) || !isRoot(context.organization, userId)) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'A member of the root quorum must sign in with a passkey, not with a code by email or an issuer.',
  );
}

/**
 * Makes a login non-renewable if the sign-in key stamped the request, and not longer than `asked`.
 * SECURITY: A78: a session can open others without any policy. Otherwise, an attacker who reads a mailbox once has a session for a month.
 * D994: the lifetime of a session profile takes precedence elsewhere. Here `asked` is the limit that the organization configured.
 */
export function notRenewed(context: RunContext, login: PlannedLogin, asked: string | undefined): PlannedLogin {
  if (!isBySignInKey(context)) return login;
  const { key } = login;
  const seconds = [key.expirationSeconds, ...(asked === undefined ? [] : [asked])].map(Number);
  const expirationSeconds = String(Math.min(...seconds));
  return { ...login, key: { ...key, expirationSeconds, origin: ending(context, key.origin, expirationSeconds) } };
}
