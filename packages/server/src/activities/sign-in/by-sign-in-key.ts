import { ServiceError } from '@countersign/contract';
import type { LocalChange } from '../../organizations/changes.ts';
import { usersAt } from '../../organizations/contacts.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import { type Charge, requireChargeable } from '../../pipeline/charges.ts';
import type { RunContext } from '../../pipeline/executor.ts';
import { messageCharges } from '../../pipeline/message-charges.ts';
import type { CodeRequest } from './send-code.ts';

/** Whether the organization's sign-in key stamped the request. Then anybody may have asked for it. */
function isBySignInKey({ organization, vault, stampedWith }: RunContext): boolean {
  return stampedWith === vault.service.signInKey(organization.id);
}

const isRoot = ({ profile }: Snapshot, userId: string) => profile.rootQuorum.userIds.includes(userId);

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
 */
export async function sentBySignInKey(
  context: RunContext,
  request: CodeRequest,
  changes: readonly LocalChange[],
): Promise<CodeOutcome> {
  if (!isBySignInKey(context)) return { changes };
  const { organization, limits, counters, nowMs } = context;
  const charges = messageCharges(limits, { target: organization, home: organization }, changes);
  await requireChargeable(counters, charges, nowMs);
  if (signsIn(organization, request)) return { changes };
  return {
    changes: changes.filter(({ op }) => op !== 'putOutbox'),
    charges: charges.map(({ organizationId, name, amount }) => ({ organizationId, name: `unsent-${name}`, amount })),
  };
}

/** Whether a code for the contact would sign somebody in by the sign-in key. */
function signsIn(organization: Snapshot, { otpType, contact }: CodeRequest): boolean {
  const [only, second] = usersAt(organization, otpType, contact);
  return only !== undefined && second === undefined && !isRoot(organization, only.userId);
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
