import { beforeEach, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { errorOf } from '../../support/world.ts';
import { createOrganization, createPolicy, detailsOf, type Organization, policyParams } from './support.ts';

/** A condition of about this many characters. */
function conditionOf(characters: number): string {
  const clause = "activity.type != 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'";
  return Array.from({ length: Math.floor(characters / (clause.length + 4)) }, () => clause).join(' && ');
}

describeEngines(
  'the size of policies',
  (subject) => {
    let organization: Organization;
    let root: Organization['root'];

    beforeEach(async () => {
      organization = await createOrganization(subject().service.root);
      root = organization.root;
    });

    test('D353: all policies of an organization together have a maximum size', async () => {
      const policyId = await createPolicy(root, 'DENY', { condition: conditionOf(20_000) });
      const tooMuch = policyParams('DENY', { condition: conditionOf(20_000) });
      const refused = [
        await root.submit('createPolicy', tooMuch),
        await root.submit('createPolicies', { policies: [tooMuch] }),
        await root.submit('updatePolicy', {
          policyId,
          policyCondition: conditionOf(32_000),
          policyConsensus: conditionOf(20_000),
        }),
      ];
      for (const answer of refused) {
        expect(errorOf(answer)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
        expect(answer.body.message).toContain('32 kilobytes of policies (maxPolicyKilobytes)');
      }
      await createPolicy(root, 'DENY', { condition: conditionOf(5_000) });
      await root.result('updatePolicy', { policyId, policyCondition: conditionOf(10_000) });
      await root.result('createPolicy', policyParams('DENY', { condition: conditionOf(15_000) }));
    });

    test('D353: an organization above the maximum works, and can only shorten and remove policies', async () => {
      const policyId = await createPolicy(root, 'DENY', { condition: conditionOf(20_000) });
      const other = await createPolicy(root, 'DENY', { condition: conditionOf(2_000) });
      const lower = await startService(subject().installation, { config: { maxPolicyKilobytes: 4 } });
      try {
        const { root: caller } = organization;
        const below = caller.with({ url: lower.url });
        const longer = await below.submit('updatePolicy', { policyId: other, policyCondition: conditionOf(2_500) });
        expect(errorOf(longer)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
        await below.result('updatePolicy', { policyId, policyCondition: conditionOf(10_000) });
        await below.result('updatePolicy', { policyId: other, policyName: 'Renamed' });
        await below.result('deletePolicy', { policyId });
        await below.result('createPolicy', policyParams('DENY', { condition: conditionOf(1_500) }));
      } finally {
        await lower.close();
      }
    });

    test('D353: the expressions of one request have a maximum size, and a long policy is not compared with others', async () => {
      const long = Array.from({ length: 30 }, () => policyParams('DENY', { condition: conditionOf(32_000) }));
      const answer = await root.submit('createPolicies', { policies: long });
      expect(errorOf(answer)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
      expect(answer.body.message).toContain('at most 262144 characters together');
      const warningsOf = async (condition?: string) => {
        const { body } = await root.submit('createPolicy', policyParams('DENY', condition === undefined ? {} : { condition }));
        return (await detailsOf(root, body.activity.id)).warnings;
      };
      expect(await warningsOf(conditionOf(30_000))).toContainEqual(expect.stringMatching(/^NOT_CHECKED: /));
      // A short policy still gets all warnings.
      expect(await warningsOf()).toContainEqual(expect.stringMatching(/^LOCKS_OUT/));
    });
  },
  { config: { maxPolicyKilobytes: 32 } },
);
