import { newApiKey } from '../api-key.ts';
import { apiKeyParams, createMember, createPrivateKey, signParams, uniqueName } from '../world.ts';
import { changed, insert, LARGE, one, rollBack, signWith, type TamperCase, type Victim, wholeState } from './tamper-case.ts';

/** A member with one policy that allows signing and another that denies it. */
async function createDeniedMember({ caller }: Victim, effect = 'EFFECT_DENY') {
  const member = await createMember(caller);
  const privateKeyId = await createPrivateKey(caller);
  const policy = {
    condition: "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'",
    consensus: `approvers.any(user, user.id == '${member.userId}')`,
  };
  await caller.result('createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', ...policy });
  const { policyId } = await caller.result('createPolicy', { policyName: uniqueName('Policy'), effect, ...policy });
  const sign = (url: string) => member.caller.with({ url }).submit('signRawPayload', signParams(privateKeyId));
  return { ...member, privateKeyId, policyId: policyId as string, sign };
}

const apiKeyRows = 'SELECT * FROM records WHERE organization_id = ? AND kind = ?';

/** Edits of what decisions depend on: policies, credentials, users, the root quorum. */
export const recordCases: readonly TamperCase[] = [
  {
    name: 'the effect of a policy is changed from deny to allow',
    running: 'POLICY_DENIED',
    reported: /the policy record \S+ was changed or inserted/,
    async edit(victim) {
      const { sign, policyId } = await createDeniedMember(victim);
      const body = "replace(body, 'EFFECT_DENY', 'EFFECT_ALLOW')";
      await changed(victim.raw.run(`UPDATE records SET body = ${body} WHERE kind = 'policy' AND id = ?`, policyId));
      return sign;
    },
  },
  {
    name: 'a policy is deleted',
    running: 'POLICY_DENIED',
    reported: wholeState,
    async edit(victim) {
      const { sign, policyId } = await createDeniedMember(victim);
      await changed(victim.raw.run("DELETE FROM records WHERE kind = 'policy' AND id = ?", policyId));
      return sign;
    },
  },
  {
    name: 'a policy is rolled back to an older state, with its MAC',
    running: 'POLICY_DENIED',
    reported: wholeState,
    async edit(victim) {
      const { sign, policyId } = await createDeniedMember(victim, 'EFFECT_ALLOW');
      const kept = await one(victim.raw, "SELECT * FROM records WHERE kind = 'policy' AND id = ?", policyId);
      await victim.caller.result('updatePolicy', { policyId, policyEffect: 'EFFECT_DENY' });
      await rollBack(victim.raw, 'records', kept);
      return sign;
    },
  },
  ...['0', '1', '1000', LARGE].map(
    (writtenBy): TamperCase => ({
      name: `D271, D523: the version that wrote a policy is edited to ${writtenBy}`,
      running: 'POLICY_DENIED',
      reported: /the policy record \S+ was changed or inserted/,
      async edit(victim) {
        const { sign, policyId } = await createDeniedMember(victim);
        await changed(victim.raw.run(`UPDATE records SET written_by = ${writtenBy} WHERE kind = 'policy' AND id = ?`, policyId));
        return sign;
      },
    }),
  ),
  {
    name: 'an API key is added for the root user',
    running: 'PUBLIC_KEY_NOT_FOUND',
    reported: /the apiKey record planted was changed or inserted/,
    async edit({ raw, organizationId, caller }) {
      const key = newApiKey();
      const privateKeyId = await createPrivateKey(caller);
      const own = await one(raw, apiKeyRows, organizationId, 'apiKey');
      const body = JSON.stringify({ ...JSON.parse(own.body as string), publicKey: key.publicKey });
      await insert(raw, 'records', { ...own, id: 'planted', body });
      return signWith(caller.with({ key }), privateKeyId);
    },
  },
  {
    name: 'a deleted API key is put back, with its MAC',
    running: 'PUBLIC_KEY_NOT_FOUND',
    reported: wholeState,
    async edit({ raw, organizationId, caller, userId }) {
      const key = newApiKey();
      const privateKeyId = await createPrivateKey(caller);
      const { apiKeyIds } = await caller.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const row = await one(raw, `${apiKeyRows} AND id = ?`, organizationId, 'apiKey', apiKeyIds[0]);
      await caller.result('deleteApiKeys', { userId, apiKeyIds });
      await insert(raw, 'records', row);
      return signWith(caller.with({ key }), privateKeyId);
    },
  },
  {
    name: 'a user is added to the root quorum',
    running: 'POLICY_DENIED',
    reported: /the organization record \S+ was changed or inserted/,
    async edit({ raw, organizationId, caller, userId }) {
      const member = await createMember(caller);
      const privateKeyId = await createPrivateKey(caller);
      const profile = {
        name: 'Edited',
        parentId: null,
        rootQuorum: { threshold: 1, userIds: [userId, member.userId] },
        features: [],
      };
      const sql = "UPDATE records SET body = ? WHERE organization_id = ? AND kind = 'organization'";
      await changed(raw.run(sql, JSON.stringify(profile), organizationId));
      return signWith(member.caller, privateKeyId);
    },
  },
  {
    name: 'the tags of a user are changed',
    running: 'unimpressed',
    reported: /the user record \S+ was changed or inserted/,
    async edit({ raw, organizationId, caller, userId }) {
      const privateKeyId = await createPrivateKey(caller);
      const sql = 'UPDATE records SET body = ? WHERE organization_id = ? AND id = ?';
      await changed(raw.run(sql, '{"userName":"Root user","userTags":["x"]}', organizationId, userId));
      return signWith(caller, privateKeyId);
    },
  },
];
