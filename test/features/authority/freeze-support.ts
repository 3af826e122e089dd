import type { Activities } from '@countersign/contract';
import { expect } from 'vitest';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { ethereumAccount, type Member, signParams, uniqueName } from '../../support/world.ts';
import {
  approve,
  createOrganization,
  detailsOf,
  memberAt,
  outcomeOf,
  policyParams,
  submitPending,
  userIs,
} from '../policies/support.ts';

export const FROZEN = '403 FROZEN';
export const DONE = '200 COMPLETED';
export const DENIED = '403 POLICY_DENIED';

/** An organization of three root users, two of whom decide, and two members. The first member may sign. */
export async function treasury(parent: Caller) {
  const organization = await createOrganization(parent, { roots: 3, threshold: 2, members: 2 });
  const [a, b, c] = organization.roots as [Member, Member, Member];
  const [signer, other] = [memberAt(organization, 0), memberAt(organization, 1)];
  const both = async (name: keyof Activities, params: object): Promise<Json> => {
    const pending = await submitPending(a.caller, name, params);
    expect(outcomeOf(await approve(b, pending))).toBe(DONE);
    const { result } = await detailsOf(a.caller, pending.id);
    return Object.values(result)[0];
  };
  await both('createPolicy', policyParams('ALLOW', { condition: "activity.action == 'SIGN'", consensus: userIs(signer) }));
  const accounts = [ethereumAccount(0)];
  const { walletId, addresses } = await both('createWallet', { walletName: uniqueName('Wallet'), accounts });
  const address: string = addresses[0];
  const sign = ({ caller }: Member = signer) => caller.submit('signRawPayload', signParams(address));
  return { ...organization, a, b, c, signer, other, both, walletId: walletId as string, address, sign };
}

export function freeze({ caller }: Member, params: object, reason = 'stolen laptop'): Promise<Answer> {
  return caller.submit('freeze', { ...params, reason });
}
