import { expect, test } from 'vitest';
import { SoftwareAuthenticator } from '../../../packages/server/test/auth/software-authenticator.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, createWallet, errorOf, type Member, signParams, uniqueName } from '../../support/world.ts';
import { passkeyParams, sendWithPasskey } from '../catalogue/support/passkeys.ts';
import { approve, createOrganization, outcomeOf, type Pending, submitPending } from '../policies/support.ts';
import { login, readWriteSession } from '../sign-in/sessions-support.ts';

const SIGNING = "activity.action in ['SIGN', 'EXPORT']";
const refused = { status: 403, code: 'POLICY_DENIED' };
const step = (type: string) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] });

describeEngines('factors of sessions', (subject) => {
  const mfaParams = (userId: string, ...types: string[]) => ({
    userId,
    mfaPolicyName: uniqueName('MFA'),
    condition: SIGNING,
    requiredAuthenticationMethods: types.map(step),
    order: 0,
  });

  async function soleRoot() {
    const organization = await createOrganization(subject().service.root, { members: 1 });
    const [{ caller: root, userId }] = organization.roots as [Member];
    const { addresses } = await createWallet(root);
    return { root, userId, address: addresses[0] as string };
  }

  /** Adds an API key to a user, and returns a caller that stamps with it. */
  async function secondKey(root: Caller, userId: string): Promise<Caller> {
    const key = newApiKey();
    await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
    return root.with({ key });
  }

  test('D290: sessions that a stolen API key opens are no second factor beside it', async () => {
    const { root, userId, address } = await soleRoot();
    const other = await secondKey(root, userId);
    const { mfaPolicyId } = await root.result('createMfaPolicy', mfaParams(userId, 'API_KEY', 'SESSION'));
    const waiting = await submitPending(root, 'signRawPayload', signParams(address));
    const opened = await login(root);
    for (const session of [opened, await login(opened), await readWriteSession(root)])
      expect(errorOf(await approve({ caller: session }, waiting))).toMatchObject(refused);
    const bySession = await submitPending(opened, 'signRawPayload', signParams(address));
    expect(errorOf(await approve({ caller: root }, bySession))).toMatchObject(refused);
    const { mfaStatuses } = await root.data('getMfaStatus', { activityId: waiting.id });
    expect(mfaStatuses).toMatchObject([
      { mfaPolicyId, satisfied: false, satisfiedMethods: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] },
    ]);
    expect(outcomeOf(await approve({ caller: await login(other) }, waiting))).toBe('200 COMPLETED');
    expect(outcomeOf(await approve({ caller: other }, bySession))).toBe('200 COMPLETED');
  });

  test('D290: a policy that one credential would have to meet twice is rejected', async () => {
    const { root, userId } = await soleRoot();
    const alone = await root.submit('createMfaPolicy', mfaParams(userId, 'API_KEY', 'SESSION'));
    expect(errorOf(alone)).toMatchObject({ code: 'PRECONDITION_FAILED', fields: ['requiredAuthenticationMethods'] });
    await root.result('createMfaPolicy', mfaParams(userId, 'SESSION'));
  });

  test('D291: one factor cannot change what policies trust', async () => {
    const { root, userId } = await soleRoot();
    const passkey = new SoftwareAuthenticator();
    await root.result('createAuthenticators', { userId, authenticators: [passkeyParams(passkey)] });
    const { walletId } = await createWallet(root);
    await root.result('createMfaPolicy', mfaParams(userId, 'API_KEY', 'PASSKEY'));
    const address = '0x00000000219ab540356cbb839cbe05303d7705fa';
    const token = { asset: `eip155:1/erc20:${address}`, symbol: 'TKN', decimals: 6 };
    const attempts = [
      ['createContacts', { contacts: [{ label: uniqueName('Contact'), address, contactTags: [], notes: '' }] }],
      ['createTokens', { tokens: [token] }],
      ['createPrivateKeyTag', { privateKeyTagName: uniqueName('hot'), privateKeyIds: [] }],
      ['updateWallet', { walletId, walletName: uniqueName('Hot') }],
    ] as const;
    const waiting: Pending[] = [];
    for (const [name, params] of attempts) waiting.push(await submitPending(root, name, params));
    for (const { fingerprint } of waiting) {
      const body = root.submitBody('approveActivity', { fingerprint });
      expect(outcomeOf(await sendWithPasskey(root, passkey, root.submitPath('approveActivity'), body))).toBe('200 COMPLETED');
    }
    await createWallet(root);
  });
});
