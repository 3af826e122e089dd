import { expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, madeUpId, uniqueName } from '../../support/world.ts';
import { createOrganization, memberAt, type Organization, policyParams } from './support.ts';

/** Ids of new policies. */
async function newPolicies({ root }: Organization, count: number): Promise<string[]> {
  const policies = Array.from({ length: count }, () => policyParams('DENY', { condition: "activity.kind == 'CREATE_WALLET'" }));
  return (await root.result('createPolicies', { policies })).policyIds;
}

const idsIn = async ({ root }: Organization): Promise<string[]> =>
  (await root.data('listPolicies')).policies.map(({ policyId }: Json) => policyId);

describeEngines('delete_policies', (subject) => {
  test('the policies are gone and no longer apply; others stay', async () => {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const { root } = organization;
    const { userId, caller } = memberAt(organization, 0);
    const consensus = `approvers.any(user, user.id == '${userId}')`;
    const { policyId: allows } = await root.result('createPolicy', policyParams('ALLOW', { consensus }));
    const doomed = await newPolicies(organization, 3);
    const wallet = () => ({ walletName: uniqueName('Wallet'), accounts: [] });
    expect(errorOf(await caller.submit('createWallet', wallet()))).toMatchObject({ status: 403 });
    const policyIds = [...doomed].reverse();
    expect(await root.result('deletePolicies', { policyIds })).toEqual({ policyIds });
    expect(await idsIn(organization)).toEqual([allows]);
    await caller.result('createWallet', wallet());
    for (const policyId of doomed) expect((await root.query('getPolicy', { policyId })).status).toBe(404);
    await root.result('deletePolicies', { policyIds: [allows] });
    expect(errorOf(await caller.submit('createWallet', wallet()))).toMatchObject({ status: 403 });
  });

  test('all or nothing: an unknown, foreign, repeated or deleted id keeps the other policies', async () => {
    const [organization, other] = [
      await createOrganization(subject().service.root),
      await createOrganization(subject().service.root),
    ];
    const { root } = organization;
    const [one, two, gone] = (await newPolicies(organization, 3)) as [string, string, string];
    const [foreign] = (await newPolicies(other, 1)) as [string];
    await root.result('deletePolicy', { policyId: gone });
    const refused = async (...policyIds: string[]) => errorOf(await root.submit('deletePolicies', { policyIds }));
    for (const missing of [madeUpId(), foreign, gone]) {
      expect(await refused(one, missing, two)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['policyIds.1'] });
    }
    expect(await refused(one, two, one)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['policyIds.2'] });
    expect(await refused()).toMatchObject({ status: 400, fields: ['policyIds'] });
    expect((await idsIn(organization)).sort()).toEqual([one, two].sort());
    expect(await idsIn(other)).toEqual([foreign]);
  });

  test('a user outside the quorum needs a policy, which may name the kind or the resource', async () => {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { root } = organization;
    const [byKind, byResource] = [memberAt(organization, 0), memberAt(organization, 1)];
    const [one, two] = await newPolicies(organization, 2);
    const remove = (member: typeof byKind, policyId: unknown) =>
      member.caller.submit('deletePolicies', { policyIds: [policyId] });
    expect(errorOf(await remove(byKind, one))).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
    const consensusOf = ({ userId }: typeof byKind) => `approvers.any(user, user.id == '${userId}')`;
    const byAction = "activity.resource == 'POLICY' && activity.action == 'DELETE'";
    await root.result('createPolicies', {
      policies: [
        policyParams('ALLOW', { condition: "activity.kind == 'DELETE_POLICIES'", consensus: consensusOf(byKind) }),
        policyParams('ALLOW', { condition: byAction, consensus: consensusOf(byResource) }),
      ],
    });
    expect((await remove(byKind, one)).status).toBe(200);
    expect((await remove(byResource, two)).status).toBe(200);
    expect((await byKind.caller.submit('deletePolicy', { policyId: (await newPolicies(organization, 1))[0] })).status).toBe(403);
  });
});
