import type { LocalChange } from '../../organizations/changes.ts';
import { usersAt } from '../../organizations/contacts.ts';
import { requireChargeable } from '../../pipeline/charges.ts';
import type { RunContext } from '../../pipeline/executor.ts';
import { messageCharges } from '../../pipeline/message-charges.ts';
import type { CodeRequest } from './send-code.ts';

/**
 * Whether the sign-in key of the organization asks for a code, and the contact signs nobody in.
 * SECURITY: A74: anybody can have that key ask. A backend that has a key of its own sends codes to whom it likes, to sign them up.
 */
export function isForStranger({ organization, vault, stampedWith }: RunContext, { otpType, contact }: CodeRequest): boolean {
  if (stampedWith !== vault.service.signInKey(organization.id)) return false;
  return usersAt(organization, otpType, contact).length !== 1;
}

/**
 * The changes of a code without the message that carries it.
 * SECURITY: A73: the code exists and counts like any other, and is refused where a message would be over a limit. So neither the answer
 * nor a later one tells whether a user has the contact.
 */
export async function withoutMessage(context: RunContext, changes: readonly LocalChange[]): Promise<readonly LocalChange[]> {
  const { organization, limits, counters, nowMs } = context;
  await requireChargeable(counters, messageCharges(limits, { target: organization, home: organization }, changes), nowMs);
  return changes.filter(({ op }) => op !== 'putOutbox');
}
