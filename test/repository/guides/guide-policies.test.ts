import { afterAll, describe, expect, test } from 'vitest';
import { TestIssuer } from '../../../packages/server/test/auth/oidc/test-issuer.ts';
import { createOrganization, createPolicy, memberAt, type Organization } from '../../features/policies/support.ts';
import { createCustomer, mailSettings } from '../../features/sign-in/mail-support.ts';
import { link, newSubject, oauthParams, trust } from '../../features/sign-in/oidc-support.ts';
import { startInbox } from '../../features/sign-in/smtp-inbox.ts';
import { newTarget } from '../../features/sign-in/transfer-support.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createMember, uniqueName, userParams } from '../../support/world.ts';
import { fillIn, readGuidePolicies } from './policies.ts';

const inbox = await startInbox();
const issuer = await TestIssuer.start();
afterAll(async () => {
  await inbox.stop();
  await issuer.close();
});

/** Somebody whom a guide's policy is for, and what there is around them. */
interface Scene {
  readonly organization: Organization;
  /** The user with the tag that the policy names. */
  readonly holder: Caller;
  readonly holderId: string;
  readonly otherId: string;
  readonly tags: Readonly<Record<string, string>>;
}

interface GuideCase {
  readonly allowed: (scene: Scene) => Promise<Answer>;
  readonly refused: (scene: Scene) => Promise<Answer>;
}

const session = (userId: string) => ({ targetPublicKey: newTarget().hex, userId });

/** What each policy of the guides is for, and what lies next to it. A policy without a case fails. */
const cases: Readonly<Record<string, GuideCase>> = {
  'Sign people in': {
    allowed: ({ holder, organization }) => signIn(holder, organization),
    refused: ({ holder, otherId }) => holder.submit('createReadWriteSession', session(otherId)),
  },
  'Sign in by token': {
    allowed: ({ holder, organization }) => signIn(holder, organization),
    refused: ({ holder, otherId }) => holder.submit('createReadWriteSession', session(otherId)),
  },
  'Manage users': {
    allowed: ({ holder, otherId }) => holder.submit('updateUserName', { userId: otherId, userName: uniqueName('Renamed') }),
    refused: ({ holder, tags }) =>
      holder.submit('createUsers', { users: [{ ...userParams(newApiKey()), userTags: [tags['tag of the help desk']] }] }),
  },
  'Give out one tag': {
    allowed: ({ holder, otherId, tags }) =>
      holder.submit('updateUserTag', { userTagId: tags['tag of the team'], addUserIds: [otherId], removeUserIds: [] }),
    refused: ({ holder, otherId, tags }) =>
      holder.submit('updateUserTag', { userTagId: tags['tag of the lead'], addUserIds: [otherId], removeUserIds: [] }),
  },
  'Revoke keys': {
    allowed: async ({ holder, otherId, organization: { root } }) => {
      const { apiKeyIds } = await root.result('createApiKeys', { userId: otherId, apiKeys: [apiKeyParams(newApiKey())] });
      return holder.submit('deleteApiKeys', { userId: otherId, apiKeyIds });
    },
    refused: async ({ holder, organization: { root, roots } }) => {
      const userId = roots[0]?.userId ?? '';
      const { apiKeyIds } = await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(newApiKey())] });
      return holder.submit('deleteApiKeys', { userId, apiKeyIds });
    },
  },
};

/** Signs a root user in by a token of that user. */
async function signIn(backend: Caller, { root, roots }: Organization): Promise<Answer> {
  const sub = newSubject();
  await link(root, roots[0]?.userId ?? '', await issuer.token({ sub }));
  return backend.submit('oauth', (await oauthParams(issuer, sub)).params);
}

describeEngines(
  'policies of the guides',
  (subject) => {
    async function buildScene(): Promise<Scene> {
      const organization = await createOrganization(subject().service.root, { members: 2 });
      const { root } = organization;
      const [holder, other] = [memberAt(organization, 0), memberAt(organization, 1)];
      const tag = async (userIds: string[]) =>
        (await root.result('createUserTag', { userTagName: uniqueName('Tag'), userIds })).userTagId as string;
      const tags = {
        'tag of the backend': await tag([holder.userId]),
        'tag of the help desk': await tag([holder.userId]),
        'tag of the lead': await tag([holder.userId]),
        'tag of the team': await tag([]),
      };
      return { organization, holder: holder.caller, holderId: holder.userId, otherId: other.userId, tags };
    }

    // Those of policies.md are about transactions. They have a test of their own, and so have the two of reading.md, which belong together.
    const policies = readGuidePolicies().filter(({ guide }) => !['policies.md', 'reading.md'].includes(guide));

    test('every policy of a guide has a case, and every case a policy', () => {
      expect(policies.map(({ name }) => name).sort()).toEqual(Object.keys(cases).sort());
    });

    describe.each(policies)('$guide: $name', (policy) => {
      test('allows what it is for and refuses what lies next to it', async () => {
        const scene = await buildScene();
        const guideCase = cases[policy.name] as GuideCase;
        expect((await guideCase.allowed(scene)).status).toBe(403);
        await createPolicy(scene.organization.root, 'ALLOW', fillIn(policy, scene.tags));
        const allowed = await guideCase.allowed(scene);
        expect(allowed.status, JSON.stringify(allowed.body)).toBe(200);
        expect((await guideCase.refused(scene)).status).toBe(403);
      });
    });

    test('a backend of the parent signs the customers of its sub-organizations in', async () => {
      const { root } = subject().service;
      const { caller: backend } = await createMember(root);
      const { own, organizationId, userId } = await createCustomer(root);
      const sub = newSubject();
      await link(own, userId, await issuer.token({ sub }));
      const policy = policies.find(({ name }) => name === 'Sign in by token');
      await createPolicy(root, 'ALLOW', { condition: policy?.condition ?? '', consensus: 'true' });
      const { params } = await oauthParams(issuer, sub);
      expect((await backend.with({ organizationId }).submit('oauth', params)).status).toBe(200);
    });
  },
  { config: { ...mailSettings(inbox), oidcIssuers: [trust(issuer.url)], bindIdentityLinks: false } },
);
