import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createSubOrganization, madeUpId, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt } from './support.ts';

const DENIAL = 'type.googleapis.com/errors.v1.PolicyEnginePermissionError';
/** As clients compare it. */
const PERMISSIONS =
  "You don't have sufficient permissions to take this action. Please add a policy granting this user permissions. Learn more at https://docs.turnkey.com/concepts/policies/quickstart.";

describeEngines('denials on the compatible path', (subject) => {
  const detailsOf = ({ details, denial }: Json): Json => denial ?? details;
  const denialIn = (body: Json): Json => detailsOf(body).find((detail: Json) => detail['@type'] === DENIAL);
  const reasonIn = (body: Json): string =>
    detailsOf(body).find((detail: Json) => detail['@type'] === 'type.googleapis.com/google.rpc.LocalizedMessage')?.message;
  const wallet = () => ({ walletName: uniqueName('Wallet'), accounts: [] });

  test('nothing allows it: the message, and the evaluation of each policy', async () => {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const caller = memberAt(organization, 0).caller.with({ dialect: 'turnkey' });
    const bare = await caller.submit('createWallet', wallet());
    expect(bare).toMatchObject({ status: 403, body: { code: 7 } });
    expect(bare.body.message).toBe(PERMISSIONS);
    expect(reasonIn(bare.body)).toContain('request not authorized');
    expect(denialIn(bare.body)).toEqual({
      '@type': DENIAL,
      message: 'No policies evaluated to outcome: Allow',
      policyEvaluations: [],
    });
    const policyId = await createPolicy(organization.root, 'ALLOW', {
      condition: "activity.resource == 'WALLET' && activity.action != 'CREATE'",
    });
    const { body } = await caller.submit('createWallet', wallet());
    expect(denialIn(body).policyEvaluations).toEqual([{ policyId, outcome: 'OUTCOME_DENY_IMPLICIT' }]);
  });

  test('a policy denies it: its id, also for a repeated body', async () => {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const caller = memberAt(organization, 0).caller.with({ dialect: 'turnkey' });
    const policyId = await createPolicy(organization.root, 'DENY', { condition: "activity.resource == 'WALLET'" });
    const body = caller.submitBody('createWallet', wallet());
    for (let times = 0; times < 2; times++) {
      const answer = await caller.send(caller.submitPath('createWallet'), body);
      expect(answer).toMatchObject({ status: 403, body: { code: 7 } });
      // Clients compare both.
      expect(answer.body.message).toBe('policy engine denied request explicitly');
      expect(answer.body.details).toEqual([]);
      expect(reasonIn(answer.body)).toContain('policy engine denied request explicitly');
      expect(denialIn(answer.body)).toEqual({
        '@type': DENIAL,
        message: `The following policies denied this action: ${policyId}`,
        policyEvaluations: [{ policyId, outcome: 'OUTCOME_DENY_EXPLICIT' }],
      });
    }
  });

  test('the spec dialect has neither', async () => {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const { body } = await memberAt(organization, 0).caller.submit('createWallet', wallet());
    expect(denialIn(body)).toBeUndefined();
    expect(body.message).not.toContain(PERMISSIONS);
    expect(reasonIn(body)).toBeUndefined();
  });

  test('other errors are not policy denials', async () => {
    const { root } = subject().service;
    const caller = root.with({ dialect: 'turnkey' });
    const answer = await caller.submit('createWallet', { ...wallet(), mnemonicLength: 5 });
    expect(answer.status).toBe(400);
    expect(denialIn(answer.body)).toBeUndefined();
  });

  test('A33: a denial by the parent does not reveal its policies to any caller', async () => {
    const { root } = subject().service;
    const { caller: backend, userId } = await createMember(root);
    const policyId = await createPolicy(root, 'DENY', {
      condition: "activity.resource == 'AUTH'",
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    const { caller: own } = await createSubOrganization(root);
    const there = backend.with({ organizationId: own.organizationId, dialect: 'turnkey' });
    const body = there.submitBody('initOtpAuth', { otpType: 'OTP_TYPE_EMAIL', contact: 'owner@example.com' });
    for (const caller of [there, there, own.with({ dialect: 'turnkey' })]) {
      const answer = await caller.send(there.submitPath('initOtpAuth'), body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(JSON.stringify(answer.body)).not.toContain(policyId);
    }
    const { body: first } = await there.send(there.submitPath('initOtpAuth'), body);
    expect(denialIn(first)).toMatchObject({ policyEvaluations: [], message: expect.stringContaining('parent organization') });
  });

  test('A31: an unknown organization and an unknown key get the same error', async () => {
    const { root } = subject().service;
    const stranger = root.with({ dialect: 'turnkey', key: newApiKey() });
    const madeUp = madeUpId();
    const [known, unknown] = [await stranger.query('whoami'), await stranger.with({ organizationId: madeUp }).query('whoami')];
    expect(unknown.body.message).toContain(`no organization found with the given ID: ${madeUp}.`);
    expect(known.body).toEqual(JSON.parse(JSON.stringify(unknown.body).replace(madeUp, root.organizationId)));
    expect(known.body.message).toContain('could not find public key in organization or its parent organization');
  });

  test('D711: the error of an unknown caller names the organization that the request names, in the compatible dialect', async () => {
    const { root } = subject().service;
    const { caller: own } = await createSubOrganization(root);
    const stranger = own.with({ dialect: 'turnkey', key: newApiKey() });
    for (const organizationId of [own.organizationId, root.organizationId]) {
      const { body } = await stranger.with({ organizationId }).query('whoami');
      expect(body.message).toContain(`given ID: ${organizationId}.`);
      const others = [own.organizationId, root.organizationId].filter((id) => id !== organizationId);
      for (const other of others) expect(JSON.stringify(body)).not.toContain(other);
    }
    const malformed = await stranger.with({ organizationId: '<img src=x>' }).query('whoami');
    expect(malformed.status).toBe(400);
    expect(JSON.stringify(malformed.body)).not.toContain('<img');
    const plain = await own.with({ key: newApiKey() }).query('whoami');
    expect(JSON.stringify(plain.body)).not.toContain(own.organizationId);
  });

  test('users have a list of MFA policies, which may be empty', async () => {
    const { root } = subject().service;
    const { userId } = await createMember(root);
    const compatible = root.with({ dialect: 'turnkey' });
    expect((await compatible.data('getUser', { userId })).user.mfaPolicies).toEqual([]);
    for (const user of (await compatible.data('listUsers')).users) expect(user.mfaPolicies).toEqual(expect.any(Array));
    const { body } = await compatible.submit('createWallet', wallet());
    expect(body.activity.votes[0].user.mfaPolicies).toEqual([]);
    expect((await root.data('getUser', { userId })).user).not.toHaveProperty('mfaPolicies');
  });
});
