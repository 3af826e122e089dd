import { expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createPrivateKey, signParams, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, outcomeOf, recordedAttempt, userIs } from './support.ts';

const ALLOWED = '200 COMPLETED';
const DENIED = '403 POLICY_DENIED';

describeEngines('what a policy must name', (subject) => {
  test('D370: the help desk cannot give itself the tag of the signers by a policy that only excludes another tag', async () => {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { root } = organization;
    const [helper, other] = [memberAt(organization, 0), memberAt(organization, 1)];
    const newTag = async () => (await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] })).userTagId;
    const [signers, admins, news] = [await newTag(), await newTag(), await newTag()];
    const key = await createPrivateKey(root);
    await createPolicy(root, 'ALLOW', {
      condition: "activity.action == 'SIGN'",
      consensus: `approvers.any(user, user.tags.contains('${signers}'))`,
    });
    const guide = `activity.kind == 'UPDATE_USER' && !activity.params.user_tag_ids.contains('${admins}')`;
    await createPolicy(root, 'ALLOW', { condition: guide, consensus: userIs(helper) });
    const retag = async (userId: string, ...userTagIds: string[]) =>
      outcomeOf(await helper.caller.submit('updateUser', { userId, userTagIds }));

    expect(await retag(helper.userId, signers)).toBe(DENIED);
    const denial = await helper.caller.submit('updateUser', { userId: helper.userId, userTagIds: [signers, news] });
    const explained = await root.data('explainActivity', { activityId: recordedAttempt(denial) });
    expect(JSON.stringify(explained)).toContain('a user gains or loses a tag that policies trust');
    expect(outcomeOf(await helper.caller.submit('signRawPayload', signParams(key, 'a')))).toBe(DENIED);
    // The legitimate neighbours: a tag without rights, a new name, and a policy that demands the tag.
    expect(await retag(other.userId, news)).toBe(ALLOWED);
    expect(outcomeOf(await helper.caller.submit('updateUser', { userId: other.userId, userName: uniqueName('User') }))).toBe(
      ALLOWED,
    );
    await createPolicy(root, 'ALLOW', {
      condition: `${guide} && activity.added.contains('${signers}')`,
      consensus: userIs(helper),
    });
    expect(await retag(other.userId, news, signers)).toBe(ALLOWED);
    // It does not demand the removal.
    expect(await retag(other.userId, news)).toBe(DENIED);
  });
});
