import { expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { apiKeyParams, ethereumAccount, type Member, signParams, uniqueName } from '../../support/world.ts';
import { passkeyParams } from '../catalogue/support/passkeys.ts';
import {
  approve,
  detailsOf,
  fingerprintOf,
  outcomeOf,
  policyParams,
  reject,
  someOf,
  submitPending,
  userIs,
} from '../policies/support.ts';
import { login } from '../sign-in/sessions-support.ts';
import { newTarget } from '../sign-in/transfer-support.ts';
import { DENIED, DONE, FROZEN, freeze, treasury } from './freeze-support.ts';

describeEngines('frozen users, wallets and keys', (subject) => {
  test('D300: one root user freezes a user at once, and only the root quorum unfreezes', async () => {
    const { a, b, c, signer, other, sign } = await treasury(subject().service.root);
    const userIds = [signer.userId];
    expect(outcomeOf(await sign())).toBe(DONE);
    const answer = await freeze(c, { userIds });
    expect(outcomeOf(answer)).toBe(DONE);
    expect(answer.body.activity.result.activity.result.freezeResult).toEqual({ frozenIds: userIds, alreadyFrozenIds: [] });
    const refused = await sign();
    expect(outcomeOf(refused)).toBe(FROZEN);
    for (const word of ['stolen laptop', c.userId, signer.userId, 'unfreeze', new Date().toISOString().slice(0, 10)])
      expect(refused.body.message).toContain(word);
    // Freezing again changes nothing, also not the reason.
    const again = await freeze(b, { userIds }, 'another reason');
    expect(again.body.activity.result.activity.result.freezeResult).toEqual({ frozenIds: [], alreadyFrozenIds: userIds });
    expect((await a.caller.data('listFreezes')).freezes).toMatchObject([
      { target: 'USER', targetId: signer.userId, reason: 'stolen laptop', frozenBy: c.userId },
    ]);
    const shown = (dialect: 'spec' | 'turnkey') => a.caller.with({ dialect }).data('getUser', { userId: signer.userId });
    expect((await shown('turnkey')).user.frozen).toBe(true);
    expect((await shown('spec')).user).not.toHaveProperty('frozen');
    for (const caller of [signer, other]) expect(outcomeOf(await caller.caller.submit('unfreeze', { userIds }))).not.toBe(DONE);
    const pending = await submitPending(c.caller, 'unfreeze', { userIds });
    expect(outcomeOf(await sign())).toBe(FROZEN);
    expect(outcomeOf(await approve(b, pending))).toBe(DONE);
    expect(outcomeOf(await sign())).toBe(DONE);
  });

  test('D300: a user without rights freezes nothing, and a wide ALLOW must name FREEZE', async () => {
    const { a, signer, other, walletId, both, sign } = await treasury(subject().service.root);
    const attempts = [
      { walletIds: [walletId] },
      { userIds: [a.userId] },
      { userIds: [other.userId] },
      { wholeOrganization: true },
    ];
    for (const params of attempts) expect(outcomeOf(await freeze(other, params))).toBe(DENIED);
    const allow = (condition?: string) => policyParams('ALLOW', { ...(condition && { condition }), consensus: userIs(other) });
    await both('createPolicy', allow("activity.action == 'CREATE'"));
    await both('createPolicy', allow());
    for (const params of attempts) expect(outcomeOf(await freeze(other, params))).toBe(DENIED);
    // A policy that names it, and says what may be frozen.
    await both(
      'createPolicy',
      allow("activity.resource == 'FREEZE' && activity.params.user_ids.count() == 0 && !activity.params.whole_organization"),
    );
    expect(outcomeOf(await freeze(other, { userIds: [signer.userId] }))).toBe(DENIED);
    expect(outcomeOf(await freeze(other, { wholeOrganization: true }))).toBe(DENIED);
    expect(outcomeOf(await freeze(other, { walletIds: [walletId] }))).toBe(DONE);
    expect(outcomeOf(await sign())).toBe(FROZEN);
    expect(outcomeOf(await other.caller.submit('unfreeze', { walletIds: [walletId] }))).toBe(DENIED);
  });

  test('D300: a DENY policy applies to a root user who freezes', async () => {
    const { c, b, walletId, both } = await treasury(subject().service.root);
    await both('createPolicy', policyParams('DENY', { condition: "activity.resource == 'FREEZE'", consensus: userIs(c) }));
    expect(outcomeOf(await freeze(c, { walletIds: [walletId] }))).toBe('200 CONSENSUS_NEEDED');
    expect(outcomeOf(await freeze(b, { walletIds: [walletId] }))).toBe(DONE);
  });

  test('D300: a freeze needs no second factor, and an unfreeze does', async () => {
    const { a, c, walletId, both } = await treasury(subject().service.root);
    const steps = ['API_KEY', 'PASSKEY'].map((type) => ({ any: [{ type: `AUTHENTICATION_TYPE_${type}` }] }));
    const passkeys = { userId: c.userId, authenticators: [passkeyParams()] };
    expect(outcomeOf(await c.caller.submit('createAuthenticators', passkeys))).not.toBe(DONE);
    await both('createAuthenticators', passkeys);
    await both('createMfaPolicy', {
      userId: c.userId,
      mfaPolicyName: uniqueName('MFA'),
      condition: 'true',
      requiredAuthenticationMethods: steps,
      order: 0,
    });
    expect(outcomeOf(await freeze(c, { walletIds: [walletId] }))).toBe(DONE);
    const pending = await submitPending(a.caller, 'unfreeze', { walletIds: [walletId] });
    expect(outcomeOf(await approve(c, pending))).toBe('200 CONSENSUS_NEEDED');
  });

  test('D301: stamps, sessions, votes, replays and queries of a frozen user count for nothing', async () => {
    const { a, b, signer, other, both, address, sign } = await treasury(subject().service.root);
    await both(
      'createPolicy',
      policyParams('ALLOW', { condition: "activity.resource == 'WALLET'", consensus: someOf(2, [signer, other]) }),
    );
    const newWallet = () => ({ walletName: uniqueName('Wallet'), accounts: [] });
    const session = await login(signer.caller);
    expect(outcomeOf(await sign({ ...signer, caller: session }))).toBe(DONE);
    const { session: token } = await signer.caller.result('createReadOnlySession', {});
    const byOther = await submitPending(other.caller, 'createWallet', newWallet());
    const bySigner = await submitPending(signer.caller, 'createWallet', newWallet());
    const approved = await submitPending(other.caller, 'createWallet', newWallet());
    const earlier = signer.caller.submitBody('signRawPayload', signParams(address));
    const send = () => signer.caller.send(signer.caller.submitPath('signRawPayload'), earlier);
    expect(outcomeOf(await send())).toBe(DONE);

    expect(outcomeOf(await freeze(a, { userIds: [signer.userId] }))).toBe(DONE);
    expect(outcomeOf(await sign())).toBe(FROZEN);
    expect(outcomeOf(await sign({ ...signer, caller: session }))).toBe(FROZEN);
    expect(outcomeOf(await send())).toBe(FROZEN);
    expect(outcomeOf(await approve(signer, byOther))).toBe(FROZEN);
    expect(outcomeOf(await reject(signer, byOther))).toBe(FROZEN);
    // What the frozen user submitted stays pending, whoever approves it.
    expect(outcomeOf(await approve(other, bySigner))).toBe(FROZEN);
    expect(await detailsOf(a.caller, bySigner.id)).toMatchObject({ status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' });
    for (const query of ['listWallets', 'getOrganization', 'listActivities', 'listFreezes'] as const) {
      expect(outcomeOf(await signer.caller.query(query))).toBe(FROZEN);
      expect(outcomeOf(await session.query(query))).toBe(FROZEN);
    }
    const body = JSON.stringify({ organizationId: signer.caller.organizationId });
    const read = (path: string) =>
      fetch(signer.caller.url + path, {
        method: 'POST',
        body,
        headers: { 'x-session': token, 'content-type': 'application/json' },
      });
    expect((await read(signer.caller.queryPath('listWallets'))).status).toBe(403);
    expect((await read(signer.caller.queryPath('whoami'))).status).toBe(200);
    expect((await signer.caller.data('whoami')).userId).toBe(signer.userId);
    // It cannot give itself another credential, and a new one of it would be frozen too.
    const keys = { userId: signer.userId, apiKeys: [apiKeyParams(newApiKey())] };
    expect(outcomeOf(await signer.caller.submit('createApiKeys', keys))).toBe(FROZEN);

    const pending = await submitPending(a.caller, 'unfreeze', { userIds: [signer.userId] });
    expect(outcomeOf(await approve(b, pending))).toBe(DONE);
    expect(outcomeOf(await approve(other, bySigner))).toBe(DONE);
    expect(outcomeOf(await approve(signer, approved))).toBe(DONE);
    expect(outcomeOf(await sign({ ...signer, caller: session }))).toBe(DONE);
  });

  test('D301: an approval of a frozen user does not count, and counts again after unfreezing', async () => {
    const { a, b, c, signer, other, both } = await treasury(subject().service.root);
    await both(
      'createPolicy',
      policyParams('ALLOW', {
        condition: "activity.kind == 'CREATE_USER_TAG'",
        consensus: `${someOf(2, [signer, other])} && ${userIs(a)}`,
      }),
    );
    const pending = await submitPending(other.caller, 'createUserTag', { userTagName: uniqueName('tag'), userIds: [] });
    expect(outcomeOf(await approve(signer, pending))).toBe('200 CONSENSUS_NEEDED');
    expect(outcomeOf(await freeze(c, { userIds: [signer.userId] }))).toBe(DONE);
    expect(outcomeOf(await approve(a, pending))).toBe('200 CONSENSUS_NEEDED');
    const unfreezing = await submitPending(c.caller, 'unfreeze', { userIds: [signer.userId] });
    expect(outcomeOf(await approve(b, unfreezing))).toBe(DONE);
    expect(outcomeOf(await approve(signer, pending))).toBe(DONE);
  });

  test('D302: nothing signs, exports, changes or deletes a frozen wallet or private key', async () => {
    const { a, b, signer, walletId, address, both, sign } = await treasury(subject().service.root);
    const key = (await both('createPrivateKeys', {
      privateKeys: [{ privateKeyName: uniqueName('Key'), curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }],
    })) as Json;
    const privateKeyId = key.privateKeys[0].privateKeyId as string;
    const { privateKeyTagId } = (await both('createPrivateKeyTag', {
      privateKeyTagName: uniqueName('tag'),
      privateKeyIds: [privateKeyId],
    })) as Json;
    const { walletId: spare, addresses } = (await both('createWallet', {
      walletName: uniqueName('Spare'),
      accounts: [ethereumAccount(0)],
    })) as Json;
    const waiting = await submitPending(a.caller, 'updateWallet', { walletId, walletName: uniqueName('Renamed') });
    expect(outcomeOf(await freeze(a, { walletIds: [walletId], privateKeyIds: [privateKeyId] }))).toBe(DONE);
    const accounts = (await a.caller.data('listWalletAccounts', { walletId })).accounts as Json[];
    const targetPublicKey = newTarget().hex;
    const payloads = { ...signParams(address), payloads: ['a', 'b'], payload: undefined };
    const attempts: readonly [Parameters<Member['caller']['submit']>[0], object][] = [
      ['signRawPayload', signParams(address)],
      ['signRawPayload', signParams(privateKeyId)],
      ['signRawPayloads', payloads],
      ['exportWallet', { walletId, targetPublicKey }],
      ['exportWalletAccount', { address, targetPublicKey }],
      ['exportPrivateKey', { privateKeyId, targetPublicKey }],
      ['updateWallet', { walletId, walletName: uniqueName('Renamed') }],
      ['createWalletAccounts', { walletId, accounts: [ethereumAccount(1)] }],
      ['deleteWallets', { walletIds: [spare, walletId], deleteWithoutExport: true }],
      ['deleteWalletAccounts', { walletAccountIds: [accounts[0].walletAccountId], deleteWithoutExport: true }],
      ['deletePrivateKeys', { privateKeyIds: [privateKeyId], deleteWithoutExport: true }],
      ['disablePrivateKey', { privateKeyId }],
      ['updatePrivateKeyTag', { privateKeyTagId, addPrivateKeyIds: [], removePrivateKeyIds: [privateKeyId] }],
      ['deletePrivateKeyTags', { privateKeyTagIds: [privateKeyTagId] }],
    ];
    for (const [name, params] of attempts) {
      // The full root quorum cannot do it either.
      const body = a.caller.submitBody(name, params);
      const submitted = await a.caller.send(a.caller.submitPath(name), body);
      const isPending = outcomeOf(submitted) === '200 CONSENSUS_NEEDED';
      const answer = isPending ? await approve(b, { fingerprint: fingerprintOf(body) }) : submitted;
      expect({ name, outcome: outcomeOf(answer) }).toEqual({ name, outcome: FROZEN });
    }
    expect(outcomeOf(await approve(b, waiting))).toBe(FROZEN);
    // Its neighbours work.
    expect(outcomeOf(await signer.caller.submit('signRawPayload', signParams(addresses[0])))).toBe(DONE);
    const unfreezing = await submitPending(b.caller, 'unfreeze', { walletIds: [walletId], privateKeyIds: [privateKeyId] });
    expect(outcomeOf(await approve(a, unfreezing))).toBe(DONE);
    expect(outcomeOf(await sign())).toBe(DONE);
    expect(outcomeOf(await approve(b, waiting))).toBe(DONE);
  });
});
