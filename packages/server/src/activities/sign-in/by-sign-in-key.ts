import { type OtpType, ServiceError } from '@countersign/contract';
import type { VerificationClaims } from '../../auth/otp/verification-token.ts';
import type { LocalChange } from '../../organizations/changes.ts';
import { contactFields, usersAt } from '../../organizations/contacts.ts';
import type { OneTimeCodeRecord } from '../../organizations/records.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { type Charge, requireChargeable } from '../../pipeline/execute/daily-quotas.ts';
import { messageCharges } from '../../pipeline/execute/message-quotas.ts';
import type { RunContext } from '../../pipeline/plan/executor.ts';
import type { PlannedLogin } from './login.ts';
import { ending } from './session-lifetime.ts';
import { invalidVerificationToken } from './verification-token.ts';

/** Whether the organization's sign-in key stamped the request. Then anybody may have asked for it. */
export function isBySignInKey({ organization, vault, stampedWith }: RunContext): boolean {
  return stampedWith === vault.service.signInKey(organization.id);
}

const isRoot = ({ profile }: Snapshot, userId: string) => profile.rootQuorum.userIds.includes(userId);

/** Where a code is to go. */
interface Destination {
  readonly otpType: OtpType;
  readonly contact: string;
}

/** What a code leads to beside its result. */
interface CodeOutcome {
  readonly changes: readonly LocalChange[];
  readonly charges?: readonly Charge[];
}

/**
 * What is done of the changes that make and send a code. The sign-in key has a code sent only where it would sign somebody in; a backend
 * that has a key of its own sends codes to whom it likes, to sign them up.
 * SECURITY: A73, A74: a code that is not sent exists and counts like any other, and is refused where a message would be over a limit. So
 * neither the answer nor a later one tells whether a user has the contact. Counters of their own, which nothing reads, take the time that
 * counting messages takes.
 * A80: strangers who know a few addresses use up half of the messages of a day, and what backends send goes on.
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
  if (signsIn(organization, request)) return { changes, charges: shares };
  return {
    changes: changes.filter(({ op }) => op !== 'putOutbox'),
    charges: all.map(({ organizationId, name, amount }) => ({ organizationId, name: `unsent-${name}`, amount })),
  };
}

/** What a message of the sign-in key counts as beside: half of the limit is for strangers. */
function shareOf({ organizationId, name, amount, limit }: Charge): Charge {
  const share = { organizationId, name: `sign-in-${name}`, amount };
  if (limit === undefined) return share;
  const { value, setting, what } = limit;
  return { ...share, limit: { value: Math.ceil(value / 2), setting, what: `${what} for people who sign in without a stamp` } };
}

/** Whether a code for the contact would sign somebody in by the sign-in key. */
function signsIn(organization: Snapshot, { otpType, contact }: Destination): boolean {
  const [only, second] = usersAt(organization, otpType, contact);
  return only !== undefined && second === undefined && !isRoot(organization, only.userId);
}

/**
 * Where a code goes: for the sign-in key, to the address as its user has it.
 * SECURITY: D232: users are found without regard to case, and RFC 5321 section 2.4 leaves it to each host whether `Ann@` is `ann@`.
 */
export function destinationOf(context: RunContext, { otpType, contact }: Destination): string {
  if (!isBySignInKey(context)) return contact;
  const [found] = usersAt(context.organization, otpType, contact);
  return found?.user[contactFields[otpType].contact] ?? contact;
}

/**
 * Whether a code may be tried. The sign-in key tries those that it asked for itself.
 * SECURITY: A81: a backend guards its own codes, which may be short or go to a telephone. Nobody tries them past the backend.
 */
export function mayTry(context: RunContext, code: OneTimeCodeRecord | undefined): boolean {
  return !isBySignInKey(context) || code?.submittedBy === context.submitterId;
}

/**
 * Refuses the sign-in key a token that names no key.
 * SECURITY: A79: a backend may have asked for one, which then is good for whoever holds it and gets the backend to stamp the login. The
 * relay stamps for everybody.
 */
export function requireBoundToken(context: RunContext, { publicKey }: VerificationClaims): void {
  if (!isBySignInKey(context) || publicKey !== undefined) return;
  throw invalidVerificationToken('it names no key, so it takes the stamp of a credential to log in with it');
}

/**
 * Refuses the sign-in key a session of a member of the root quorum.
 * SECURITY: D219: whoever reads the mail of enough members would be the root quorum, and could make that last.
 */
export function requireNoRootSession(context: RunContext, userId: string): void {
  if (!isBySignInKey(context) || !isRoot(context.organization, userId)) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'A member of the root quorum signs in with a passkey, not by a code from a mail or by an issuer.',
  );
}

/**
 * A login, not to be renewed where the sign-in key asks for it.
 * SECURITY: A78: a session may open others without any policy. Whoever reads a mailbox once would have one for a month.
 */
export function notRenewed(context: RunContext, login: PlannedLogin): PlannedLogin {
  if (!isBySignInKey(context)) return login;
  const { key } = login;
  return { ...login, key: { ...key, origin: ending(context, key.origin, key.expirationSeconds) } };
}
