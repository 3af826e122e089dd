import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, signParams, uniqueName } from '../../support/world.ts';
import { approve, createOrganization, createPolicy, memberAt, outcomeOf, submitPending } from './support.ts';

const ALLOWED = '200 COMPLETED';
const DENIED = '403 POLICY_DENIED';

describeEngines('policies of language 3', (subject) => {
  test('D398: a policy contains the id of a tag, so another tag with its name changes nothing', async () => {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { root } = organization;
    const [signer, other] = [memberAt(organization, 0), memberAt(organization, 1)];
    const key = await createPrivateKey(root);
    const name = uniqueName('Signers');
    const signers = (await root.result('createUserTag', { userTagName: name, userIds: [signer.userId] })).userTagId;
    const policy = (tag: string) => ({
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW' as const,
      condition: "# Everything that signs.\nactivity.action == 'SIGN'",
      consensus: `approvers.any(user, user.tags.contains(tag('${tag}')))`,
      notes: '',
    });
    const rejected = JSON.stringify(await root.submit('createPolicy', policy(name)));
    expect(rejected).toContain(`write tag('${signers}')`);
    expect(JSON.stringify(await root.submit('createPolicy', policy(`${name}x`)))).toContain(`did you mean \`${name}\`?`);
    const { policyId } = await root.result('createPolicy', policy(signers));
    const sign = async (by: typeof signer) =>
      outcomeOf(await by.caller.submit('signRawPayload', signParams(key, uniqueName('a'))));
    expect([await sign(signer), await sign(other)]).toEqual([ALLOWED, DENIED]);

    await root.result('updateUserTag', {
      userTagId: signers,
      newUserTagName: uniqueName('Former'),
      addUserIds: [],
      removeUserIds: [],
    });
    await root.result('createUserTag', { userTagName: name, userIds: [other.userId] });
    expect([await sign(signer), await sign(other)]).toEqual([ALLOWED, DENIED]);
    const stored = await root.data('getPolicy', { policyId });
    expect(stored.policy.consensus).toContain(`tag('${signers}')`);
    expect(stored.policy.condition).toContain('# Everything that signs.\n');
  });

  test('D397: the approval of the requester does not count as that of another user', async () => {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { root } = organization;
    const [first, second] = [memberAt(organization, 0), memberAt(organization, 1)];
    const key = await createPrivateKey(root);
    await createPolicy(root, 'ALLOW', {
      condition: "activity.action == 'SIGN'",
      consensus: 'approvers.any(user, user.id != requester.id)',
    });
    const pending = await submitPending(first.caller, 'signRawPayload', signParams(key, 'a'));
    const status = async () => (await root.data('getActivity', { activityId: pending.id })).activity.status;
    await approve(first, pending);
    expect(await status()).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await approve(second, pending);
    expect(await status()).toBe('ACTIVITY_STATUS_COMPLETED');
  });
});
