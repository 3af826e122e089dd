import { expect, test } from 'vitest';
import type { Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  ethereumAccount,
  madeUpId,
  signParams,
  uniqueName,
} from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';
import { plant } from './support/plant.ts';

/** EIP-1559: 1 wei to 0x1111…, nonce 0, on Ethereum. */
const unsignedTransaction = `02e70180843b9aca00847735940082520894${'11'.repeat(20)}0180c0`;

describeEngines('disable_private_key', (subject) => {
  test('a disabled key signs nothing, by id or address, and says so', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const privateKeyId = await createPrivateKey(root, 'CURVE_SECP256K1', ['ADDRESS_FORMAT_ETHEREUM']);
    const other = await createPrivateKey(root);
    const { privateKey } = await root.data('getPrivateKey', { privateKeyId });
    const [{ address }] = privateKey.addresses;
    await root.result('signRawPayload', signParams(address));
    expect(await root.result('disablePrivateKey', { privateKeyId })).toEqual({ privateKeyId });
    for (const signWith of [privateKeyId, address]) {
      const { payload, ...rest } = signParams(signWith);
      for (const answer of [
        await root.submit('signRawPayload', { ...rest, payload }),
        await root.submit('signRawPayloads', { ...rest, payloads: [payload] }),
        await root.submit('signTransaction', { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' }),
      ]) {
        expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED', fields: ['signWith'] });
        expect(answer.body.message).toContain('is disabled');
      }
    }
    await root.result('signRawPayload', signParams(other));
    // Disabling twice succeeds: in an emergency, two people may do it.
    expect(await root.result('disablePrivateKey', { privateKeyId })).toEqual({ privateKeyId });
    await expectSound(subject().service, root);
    expect(errorOf(await root.submit('signRawPayload', signParams(privateKeyId)))).toMatchObject({ status: 400 });
  });

  test('it is shown as disabled where the protocol has a field for it, and deleted like any other key', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const [disabled, enabled] = [await createPrivateKey(root), await createPrivateKey(root)];
    await root.result('disablePrivateKey', { privateKeyId: disabled });
    const compatible = root.with({ dialect: 'turnkey' });
    expect((await compatible.data('getPrivateKey', { privateKeyId: disabled })).privateKey.disabled).toBe(true);
    const flags = async (caller: typeof root) =>
      (await caller.data('listPrivateKeys')).privateKeys.map((key: Json) => [key.privateKeyId, key.disabled]);
    expect(await flags(compatible)).toEqual([
      [disabled, true],
      [enabled, undefined],
    ]);
    expect((await flags(root)).map(([, flag]: Json[]) => flag)).toEqual([undefined, undefined]);
    const params = { privateKeyIds: [disabled] };
    expect(errorOf(await root.submit('deletePrivateKeys', params))).toMatchObject({ code: 'PRECONDITION_FAILED' });
    await root.result('deletePrivateKeys', { ...params, deleteWithoutExport: true });
    await expectSound(subject().service, root);
  });

  test('a waiting activity does not sign with a key that was disabled in the meantime', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const second = await createMember(root);
    await root.result('createPolicy', {
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition: "activity.kind == 'DISABLE_PRIVATE_KEY'",
      consensus: `approvers.any(user, user.id == '${second.userId}')`,
    });
    const privateKeyId = await createPrivateKey(root);
    await root.result('updateRootQuorum', { threshold: 2, userIds: [userId, second.userId] });
    const compatible = root.with({ dialect: 'turnkey' });
    const waiting = (await compatible.submit('signRawPayload', signParams(privateKeyId))).body.activity;
    expect(waiting.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await second.caller.result('disablePrivateKey', { privateKeyId });
    const voted = await second.caller.submit('approveActivity', { fingerprint: waiting.fingerprint });
    expect(voted.body.activity?.status).not.toBe('ACTIVITY_STATUS_COMPLETED');
    const { activity } = await compatible.data('getActivity', { activityId: waiting.id });
    expect(activity.status).toBe('ACTIVITY_STATUS_FAILED');
    expect(activity.failure.message).toContain('is disabled');
  });
});

describeEngines('wallets of the catalogue', (subject) => {
  test('a wallet takes another name, which frees the old one', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const [before, after] = [uniqueName('Before'), uniqueName('After')];
    const { walletId } = await root.result('createWallet', { walletName: before, accounts: [ethereumAccount(0)] });
    expect(await root.result('updateWallet', { walletId, walletName: after })).toEqual({ walletId });
    expect((await root.data('getWallet', { walletId })).wallet.walletName).toBe(after);
    const taken = { status: 400, code: 'NAME_TAKEN', fields: ['walletName'] };
    expect(errorOf(await root.submit('createWallet', { walletName: after, accounts: [] }))).toEqual(taken);
    const other = await root.result('createWallet', { walletName: before, accounts: [] });
    expect(errorOf(await root.submit('updateWallet', { walletId: other.walletId, walletName: after }))).toEqual(taken);
    // Its current name, or no name, changes nothing.
    await root.result('updateWallet', { walletId, walletName: after });
    await root.result('updateWallet', { walletId });
    expect((await root.data('getWallet', { walletId })).wallet.walletName).toBe(after);
    await expectSound(subject().service, root);
  });

  test('policies see the wallet being renamed and the wallets being deleted', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { userId, caller } = await createMember(root);
    const [own, other] = [await createWallet(root), await createWallet(root)];
    const allow = (condition: string) => ({
      policyName: uniqueName('Policy'),
      effect: 'EFFECT_ALLOW',
      condition,
      consensus: `approvers.any(user, user.id == '${userId}')`,
    });
    await root.result('createPolicies', {
      policies: [
        allow(`activity.kind == 'UPDATE_WALLET' && activity.params.wallet_id == '${own.walletId}'`),
        allow(`activity.kind == 'DELETE_WALLETS' && wallets.all(each, each.id == '${own.walletId}')`),
      ],
    });
    const rename = (walletId: string) => caller.submit('updateWallet', { walletId, walletName: uniqueName('Wallet') });
    const remove = (...walletIds: string[]) => caller.submit('deleteWallets', { walletIds, deleteWithoutExport: true });
    expect((await rename(own.walletId)).status).toBe(200);
    expect((await rename(other.walletId)).status).toBe(403);
    expect((await remove(own.walletId, other.walletId)).status).toBe(403);
    expect((await remove(own.walletId)).status).toBe(200);
  });

  test('a deleted wallet is gone with its accounts, look-ups and seed; others stay', async () => {
    const { raw, service } = subject();
    const { caller: root, organizationId } = await createSubOrganization(service.root);
    const walletName = uniqueName('Wallet');
    const accounts = Array.from({ length: 30 }, (_, index) => ethereumAccount(index));
    const { walletId, addresses } = await root.result('createWallet', { walletName, accounts });
    const kept = await createWallet(root, 2);
    await root.result('signRawPayload', signParams(addresses[7]));
    const params = { walletIds: [walletId] };
    for (const more of [{}, { deleteWithoutExport: false }]) {
      const answer = await root.submit('deleteWallets', { ...params, ...more });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED', fields: ['walletIds.0'] });
      expect(answer.body.message).toContain('never exported');
    }
    expect(await root.result('deleteWallets', { ...params, deleteWithoutExport: true })).toEqual(params);
    for (const signWith of [addresses[0], addresses[29]])
      expect(errorOf(await root.submit('signRawPayload', signParams(signWith)))).toMatchObject({ code: 'SIGN_WITH_NOT_FOUND' });
    expect(errorOf(await root.query('getWallet', { walletId }))).toMatchObject({ status: 404 });
    expect((await root.data('listWalletAccounts', { paginationOptions: { limit: '100' } })).accounts).toHaveLength(2);
    expect(await raw.all('SELECT id FROM secrets WHERE id = ?', walletId)).toEqual([]);
    expect(
      await raw.all('SELECT id FROM resources WHERE organization_id = ? AND parent_id = ?', organizationId, walletId),
    ).toEqual([]);
    const lookups = await raw.all('SELECT kind FROM lookups WHERE organization_id = ?', organizationId);
    expect(lookups.map(({ kind }) => kind).sort()).toEqual(['accountPath', 'accountPath', 'address', 'address', 'walletName']);
    await root.result('signRawPayload', signParams(kept.addresses[1] as string));
    await root.result('createWallet', { walletName, accounts: [] });
    await expectSound(service, root);
  });

  test('an exported wallet is deleted without deleteWithoutExport; one unexported wallet keeps all in the request', async () => {
    const { service } = subject();
    const { caller: root, organizationId } = await createSubOrganization(service.root);
    const [exported, unexported] = [await createWallet(root), await createWallet(root)];
    const previous = await service.services.organizations.resources.get(organizationId, 'wallet', exported.walletId);
    if (previous === undefined) throw new Error('the wallet is not there');
    const body = { ...previous.body, exported: true };
    await plant(service, organizationId, [{ op: 'putResource', kind: 'wallet', id: previous.id, body, previous }]);
    const both = { walletIds: [exported.walletId, unexported.walletId] };
    expect(errorOf(await root.submit('deleteWallets', both))).toMatchObject({ fields: ['walletIds.1'] });
    expect(await root.data('getWallet', { walletId: exported.walletId })).toMatchObject({ wallet: { exported: true } });
    await root.result('deleteWallets', { walletIds: [exported.walletId] });
    await expectSound(service, root);
  });

  test('unknown wallets and wallets named twice are refused', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { walletId } = await createWallet(root);
    const refused = async (...walletIds: string[]) =>
      errorOf(await root.submit('deleteWallets', { walletIds, deleteWithoutExport: true }));
    expect(await refused(walletId, madeUpId())).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['walletIds.1'] });
    expect(await refused(walletId, walletId)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['walletIds.1'] });
    expect(await refused()).toMatchObject({ status: 400, fields: ['walletIds'] });
    expect(errorOf(await root.submit('updateWallet', { walletId: madeUpId(), walletName: 'x' }))).toMatchObject({ status: 404 });
  });
});
