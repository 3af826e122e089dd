import { activities } from '@countersign/contract';
import { expect, test } from 'vitest';
import { policies as consoleWords } from '../../../packages/console/src/words/policies.ts';
import { activityCases, buildWorld, type World } from '../../support/activity-cases.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { queryCases } from '../../support/query-cases.ts';
import { apiKeyParams, errorOf, type Member, signParams } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import { createOrganization, createPolicy, memberAt, submitPending } from '../policies/support.ts';

const PLACE = '<tag of the auditors>';
const templates = consoleWords.examples.list.filter(({ consensus }) => consensus.includes(PLACE));
const denied = { status: 403, code: 'POLICY_DENIED' };
/** What lets a person enter, and what the rules of the service forbid to everyone in a sub-organization. */
const OTHERS = ['stampLogin', 'endSessions', 'createSubOrganization'];

interface Audited {
  readonly root: Caller;
  readonly auditor: Member;
  /** A user without the tag. */
  readonly other: Member;
  readonly world: World;
}

/** An organization that allows everything to everyone, restricts reading, and has the role of the templates. */
async function audited(top: Caller): Promise<Audited> {
  const organization = await createOrganization(top, { members: 2 });
  const { root } = organization;
  const [auditor, other] = [memberAt(organization, 0), memberAt(organization, 1)];
  const world = await buildWorld(root);
  const { userTagId } = await root.result('createUserTag', { userTagName: 'Auditors', userIds: [auditor.userId] });
  const resources = [...new Set(Object.values(activities).map(({ policy }) => `'${policy.resource}'`))];
  await createPolicy(root, 'ALLOW', { condition: `activity.resource in [${resources.join(', ')}]`, consensus: 'true' });
  for (const { condition, consensus, ...more } of templates) {
    const effect = 'effect' in more ? 'DENY' : 'ALLOW';
    await createPolicy(root, effect, { condition, consensus: consensus.replaceAll(PLACE, userTagId) });
  }
  await root.result('setOrganizationFeature', { name: 'FEATURE_NAME_READ_POLICIES', value: '' });
  return { root, auditor, other, world };
}

describeEngines('the role of an auditor', (subject) => {
  test('D972: an auditor reads everything and does nothing, where everyone else may do everything', async () => {
    const { root, auditor, other, world } = await audited(subject().service.root);
    const read = async (caller: Caller, name: string) =>
      (await caller.query(name as never, queryCases[name]?.fields(world) ?? {})).status;
    for (const name of Object.keys(queryCases))
      expect([name, await read(auditor.caller, name)]).toEqual([name, await read(root, name)]);

    const done: string[] = [];
    for (const [name, { params }] of Object.entries(activityCases)) {
      if (OTHERS.includes(name)) continue;
      const answer = await auditor.caller.submit(name as never, params(world));
      if (answer.status === 403) continue;
      done.push(`${name} ${answer.status} ${JSON.stringify(answer.body).slice(0, 150)}`);
    }
    expect(done).toEqual([]);
    const free = await other.caller.submit('signRawPayload', signParams(world.address));
    expect(free.status).toBe(200);
  });

  test('D1080: the service names to an auditor everything that the auditor is denied, so that the console can dim it', async () => {
    const { auditor, other } = await audited(subject().service.root);
    const deniedTo = async (caller: Caller): Promise<readonly string[]> => {
      const { denials } = await caller.data('getDeniedActivityTypes');
      return denials.flatMap(({ types }: { types: string[] }) => types);
    };
    const denied = await deniedTo(auditor.caller);
    const missing = Object.entries(activities).filter(([name, { type, vote }]) => {
      const isFree = vote !== undefined || OTHERS.includes(name);
      return !isFree && !denied.includes(type);
    });
    expect(missing.map(([name]) => name)).toEqual([]);
    expect(denied).not.toContain(activities.stampLogin.type);
    expect(await deniedTo(other.caller)).not.toContain(activities.createWallet.type);
  });

  test('D972: an auditor cannot vote, and so neither approves nor stops what others request', async () => {
    const { root, auditor, other, world } = await audited(subject().service.root);
    const { policies } = await root.data('listPolicies', {});
    const open = policies.find(({ consensus }: { consensus: string }) => consensus === 'true');
    await root.result('updatePolicy', { policyId: open.policyId, policyConsensus: 'approvers.count() >= 2' });
    const pending = await submitPending(other.caller, 'signRawPayload', signParams(world.address));
    for (const vote of ['approveActivity', 'rejectActivity'] as const)
      expect(errorOf(await auditor.caller.submit(vote, { fingerprint: pending.fingerprint }))).toEqual(denied);
    const { activity } = await root.data('getActivity', { activityId: pending.id });
    expect(activity.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    expect(activity.votes).toHaveLength(1);
  });

  test('D972: an auditor signs in, recovers with a link for themselves only, and gets no further credential', async () => {
    const { root, auditor, other } = await audited(subject().service.root);
    const key = newApiKey();
    await auditor.caller.result('stampLogin', { publicKey: key.publicKey, expirationSeconds: '600' });
    const session = auditor.caller.with({ key });
    expect((await session.query('listWallets', {})).status).toBe(200);
    expect(errorOf(await session.submit('createWallet', { walletName: 'Mine', accounts: [] }))).toEqual(denied);
    for (const userId of [auditor.userId, other.userId]) {
      const more = { userId, apiKeys: [apiKeyParams(newApiKey())] };
      expect(errorOf(await auditor.caller.submit('createApiKeys', more))).toEqual(denied);
      const recovered = await auditor.caller.submit('recoverUser', { userId, authenticator: passkeyParams() });
      expect([userId, recovered.status]).toEqual([userId, 403]);
    }
    const link = newApiKey();
    await root.result('createSetupKey', { userId: auditor.userId, publicKey: link.publicKey });
    const byLink = auditor.caller.with({ key: link });
    const foreign = await byLink.submit('recoverUser', { userId: other.userId, authenticator: passkeyParams() });
    expect(foreign.status).toBe(403);
    await byLink.result('recoverUser', { userId: auditor.userId, authenticator: passkeyParams() });
  });
});
