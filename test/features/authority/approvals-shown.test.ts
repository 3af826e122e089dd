import { afterAll, expect, test } from 'vitest';
import { CLIENT_ID, TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createSubOrganization, userParams } from '../../support/world.ts';
import { createOrganization, fingerprintOf, memberAt, type Organization } from '../policies/support.ts';
import { newSubject, nonceFor, providerParams, trust } from '../sign-in/oidc-support.ts';

const issuer = await TestIssuer.start();
afterAll(() => issuer.close());

describeEngines(
  'details shown to approvers',
  (subject) => {
    const twoRoots = () => createOrganization(subject().service.root, { roots: 2, threshold: 2 });
    const approver = ({ roots }: Organization, dialect: 'spec' | 'turnkey') =>
      memberAt({ members: roots }, 1).caller.with({ dialect });

    async function waiting(reader: Caller, activityId: string): Promise<Json> {
      const { activity } = await reader.data('getActivity', { activityId });
      const { activities } = await reader.data('listActivities', {});
      expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
      expect(activities).toContainEqual(activity);
      return activity;
    }

    test.each(['spec', 'turnkey'] as const)('A45: the subject of a token, not the token (%s)', async (dialect) => {
      const organization = await twoRoots();
      const { root, roots } = organization;
      const sub = newSubject();
      const oidcToken = await issuer.token({ sub, nonce: nonceFor(root.key.publicKey) });
      const params = { userId: roots[1]?.userId, oauthProviders: [providerParams(oidcToken)] };
      const submitted = await root.with({ dialect }).submit('createOauthProviders', params);
      const shown = await waiting(approver(organization, dialect), submitted.body.activity.id);
      expect(shown.judgedParameters.oauthProviders).toEqual([
        { ...params.oauthProviders[0], oidcToken: '', oidcClaims: { iss: issuer.url, aud: CLIENT_ID, sub } },
      ]);
      expect(JSON.stringify(shown)).not.toContain(oidcToken);
    });

    test.each(['spec', 'turnkey'] as const)('A45: phone numbers and identities of users to create (%s)', async (dialect) => {
      const organization = await twoRoots();
      const sub = newSubject();
      const oidcToken = await issuer.token({ sub, nonce: nonceFor(organization.root.key.publicKey) });
      const users = [
        { ...userParams(newApiKey()), userPhoneNumber: '+15555550100', oauthProviders: [providerParams(oidcToken)] },
      ];
      const submitted = await organization.root.with({ dialect }).submit('createUsers', { users });
      const shown = await waiting(approver(organization, dialect), submitted.body.activity.id);
      expect(shown.judgedParameters.users).toMatchObject([
        { userPhoneNumber: '+15555550100', oauthProviders: [{ oidcToken: '', oidcClaims: { iss: issuer.url, sub } }] },
      ]);
      expect(JSON.stringify(shown)).not.toContain(oidcToken);
    });

    test('A45: the fingerprint of a visible body can be recomputed', async () => {
      const organization = await twoRoots();
      const { root, roots } = organization;
      const open = await root.with({ dialect: 'turnkey' }).submit('createUsers', { users: [userParams(newApiKey())] });
      const read = await waiting(approver(organization, 'turnkey'), open.body.activity.id);
      expect(fingerprintOf(read.votes[0].message)).toBe(read.fingerprint);
      // A body with a secret is for its submitter, in the answer to the request.
      const oidcToken = await issuer.token({ sub: newSubject(), nonce: nonceFor(root.key.publicKey) });
      const params = { userId: roots[1]?.userId, oauthProviders: [providerParams(oidcToken)] };
      const { activity } = (await root.with({ dialect: 'turnkey' }).submit('createOauthProviders', params)).body;
      expect(fingerprintOf(activity.votes[0].message)).toBe(activity.fingerprint);
      expect((await waiting(approver(organization, 'turnkey'), activity.id)).votes[0].message).toBe('');
    });

    test('nothing is added if the parameters are complete', async () => {
      const { caller } = await createSubOrganization(subject().service.root);
      const { activity } = (await caller.with({ dialect: 'turnkey' }).submit('createUsers', { users: [userParams(newApiKey())] }))
        .body;
      expect(activity).not.toHaveProperty('judgedParameters');
    });
  },
  { config: { oidcIssuers: [trust(issuer.url)] } },
);
