import { entropyToMnemonic } from '@countersign/chains';
import { mnemonicLanguages } from '@countersign/contract';
import { p256 } from '@noble/curves/nist.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { describe, expect, test } from 'vitest';
import { type Caller, resultOf } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import {
  createPrivateKey,
  createSubOrganization,
  createWallet,
  errorOf,
  ethereumAccount,
  ethereumPath,
  madeUpId,
  signParams,
  uniqueName,
} from '../../support/world.ts';
import { createOrganization } from '../policies/support.ts';
import {
  type Importer,
  newTarget,
  openExport,
  phraseOf,
  publicKeyOf,
  publishedKeys,
  runImport,
  STANDARD,
  STANDARD_ADDRESS,
  utf8,
} from './transfer-support.ts';

describeEngines('exports', (subject) => {
  const root = () => subject().service.root;
  const importer = (): Promise<Importer> => createSubOrganization(root());

  test('a wallet is exported as its phrase, which gives its accounts, and is marked as exported', async () => {
    const { caller } = await importer();
    const { walletId, addresses } = await createWallet(caller, 2);
    expect((await caller.data('getWallet', { walletId })).wallet).toMatchObject({ exported: false, imported: false });
    const phrase = await phraseOf(caller, walletId);
    expect(mnemonicToEntropy(phrase, wordlist)).toHaveLength(16);
    const { caller: other, userId } = await importer();
    const accounts = [ethereumAccount(0), ethereumAccount(1)];
    const imported = await runImport({ caller: other, userId }, 'wallet', utf8(phrase), { accounts });
    expect(imported.addresses).toEqual(addresses);
    expect((await caller.data('getWallet', { walletId })).wallet).toMatchObject({ exported: true, imported: false });
    expect((await caller.submit('deleteWallets', { walletIds: [walletId] })).status).toBe(200);
  });

  test('a phrase can be exported in every language', async () => {
    const { caller } = await importer();
    const { walletId } = await createWallet(caller);
    const entropy = mnemonicToEntropy(await phraseOf(caller, walletId), wordlist);
    for (const language of mnemonicLanguages)
      expect(await phraseOf(caller, walletId, { language })).toBe(await entropyToMnemonic(entropy, language));
  });

  test('a phrase in a language other than the wallet’s own comes with a warning', async () => {
    const { caller } = await importer();
    const { walletId } = await createWallet(caller);
    const compatible = caller.with({ dialect: 'turnkey' });
    const params = { walletId, targetPublicKey: newTarget().hex };
    const warned = await compatible.submit('exportWallet', { ...params, language: 'MNEMONIC_LANGUAGE_CZECH' });
    expect(warned.body.activity.warnings[0]).toContain('MNEMONIC_LANGUAGE_ENGLISH');
    const plain = await compatible.submit('exportWallet', { ...params, language: 'MNEMONIC_LANGUAGE_ENGLISH' });
    expect(plain.body.activity.warnings).toBeUndefined();
  });

  test.each(Object.keys(publicKeyOf) as (keyof typeof publicKeyOf)[])(
    'a private key of %s is exported as its 32 bytes, and is marked as exported',
    async (curve) => {
      const { caller } = await importer();
      const privateKeyId = await createPrivateKey(caller, curve);
      const target = newTarget();
      const { exportBundle } = await caller.result('exportPrivateKey', { privateKeyId, targetPublicKey: target.hex });
      const bytes = await openExport(caller, exportBundle, target);
      const { privateKey } = await caller.data('getPrivateKey', { privateKeyId });
      expect(Buffer.from(publicKeyOf[curve](bytes)).toString('hex')).toBe(privateKey.publicKey);
      expect(privateKey).toMatchObject({ exported: true, imported: false });
      expect((await caller.submit('deletePrivateKeys', { privateKeyIds: [privateKeyId] })).status).toBe(200);
    },
  );

  test('an account is exported as its own key; its wallet is not marked and stays protected from deletion', async () => {
    const { caller } = await importer();
    const { walletId, addresses } = await createWallet(caller, 2);
    const [address] = addresses as [string];
    const target = newTarget();
    const result = await caller.result('exportWalletAccount', { address: address.toLowerCase(), targetPublicKey: target.hex });
    expect(result.address).toBe(address);
    const bytes = await openExport(caller, result.exportBundle, target);
    const { account } = await caller.data('getWalletAccount', { walletId, address });
    expect(Buffer.from(publicKeyOf.CURVE_SECP256K1(bytes)).toString('hex')).toBe(account.publicKey);
    const phrase = await phraseOf(caller, walletId);
    const derived = HDKey.fromMasterSeed(mnemonicToSeedSync(phrase)).derive(ethereumPath(0)).privateKey as Uint8Array;
    expect(bytes.toString('hex')).toBe(Buffer.from(derived).toString('hex'));
  });

  test('an account export alone does not allow the wallet to be deleted', async () => {
    const { caller } = await importer();
    const { walletId, addresses } = await createWallet(caller);
    await caller.result('exportWalletAccount', { address: addresses[0], targetPublicKey: newTarget().hex });
    expect((await caller.data('getWallet', { walletId })).wallet.exported).toBe(false);
    expect(errorOf(await caller.submit('deleteWallets', { walletIds: [walletId] }))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    expect((await caller.submit('signRawPayload', signParams(addresses[0] as string))).status).toBe(200);
  });

  test('a disabled key signs nothing, but can still be exported', async () => {
    const { caller } = await importer();
    const privateKeyId = await createPrivateKey(caller);
    await caller.result('disablePrivateKey', { privateKeyId });
    expect((await caller.submit('signRawPayload', signParams(privateKeyId))).status).toBe(400);
    const target = newTarget();
    const { exportBundle } = await caller.result('exportPrivateKey', { privateKeyId, targetPublicKey: target.hex });
    expect(await openExport(caller, exportBundle, target)).toHaveLength(32);
  });

  test('the bundle is signed by the published key and bound to the organization', async () => {
    const { caller } = await importer();
    const { walletId } = await createWallet(caller);
    const target = newTarget();
    const { exportBundle } = await caller.result('exportWallet', { walletId, targetPublicKey: target.hex });
    const { signer } = await publishedKeys(caller.url);
    const { version, data, enclaveQuorumPublic } = JSON.parse(exportBundle);
    expect({ version, enclaveQuorumPublic }).toEqual({ version: 'v1.0.0', enclaveQuorumPublic: signer });
    expect(Object.keys(JSON.parse(Buffer.from(data, 'hex').toString()))).toEqual([
      'encappedPublic',
      'ciphertext',
      'organizationId',
    ]);
    await expect(openExport(root(), exportBundle, target)).rejects.toThrow('another organization');
    await expect(openExport(caller, exportBundle, newTarget())).rejects.toThrow();
    const altered = exportBundle.replace(data, `${data.slice(0, 40)}${data[40] === '0' ? '1' : '0'}${data.slice(41)}`);
    await expect(openExport(caller, altered, target)).rejects.toThrow();
  });

  test('repeating the request returns the same bundle; another request returns another one', async () => {
    const { caller } = await importer();
    const { walletId } = await createWallet(caller);
    const params = { walletId, targetPublicKey: newTarget().hex };
    const body = caller.submitBody('exportWallet', params);
    const [one, two] = [
      await caller.send(caller.submitPath('exportWallet'), body),
      await caller.send(caller.submitPath('exportWallet'), body),
    ];
    expect(resultOf(two)).toEqual(resultOf(one));
    expect((await caller.result('exportWallet', params)).exportBundle).not.toBe(resultOf(one).exportBundle);
  });

  test('unknown objects and those of another organization are not found', async () => {
    const { caller } = await importer();
    const elsewhere = await importer();
    const { walletId, addresses } = await createWallet(elsewhere.caller);
    const privateKeyId = await createPrivateKey(elsewhere.caller);
    const targetPublicKey = newTarget().hex;
    const tries = [
      ['exportWallet', { walletId }, 'walletId'],
      ['exportWallet', { walletId: madeUpId() }, 'walletId'],
      ['exportPrivateKey', { privateKeyId }, 'privateKeyId'],
      ['exportWalletAccount', { address: addresses[0] }, 'address'],
    ] as const;
    for (const [name, params, field] of tries) {
      const answer = await caller.submit(name, { ...params, targetPublicKey });
      expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: [field] });
    }
  });

  test('an address of accounts in two wallets is refused as ambiguous', async () => {
    const { caller, userId } = await importer();
    // Releases that did not compare imports could be brought to this.
    const earlier = await startService(subject().installation, {
      services: ({ organizations }) => ({
        organizations: { ...organizations, resources: { ...organizations.resources, list: async () => [] } },
      }),
    });
    const own = { caller: caller.with({ url: earlier.url }), userId };
    for (let i = 0; i < 2; i++) await runImport(own, 'wallet', utf8(STANDARD), { accounts: [ethereumAccount(0)] });
    await earlier.close();
    const params = { address: STANDARD_ADDRESS, targetPublicKey: newTarget().hex };
    expect(errorOf(await caller.submit('exportWalletAccount', params))).toEqual({
      status: 400,
      code: 'REQUEST_INVALID',
      fields: ['address'],
    });
  });

  describe('policies', () => {
    const allow = (owner: Caller, userId: string, condition: string) =>
      owner.result('createPolicy', {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_ALLOW',
        condition,
        consensus: `approvers.any(user, user.id == '${userId}')`,
        notes: '',
      });

    test('exports can be allowed by wallet, by key and by target', async () => {
      const { root: owner, members } = await createOrganization(root(), { members: 1 });
      const { caller, userId } = members[0] as Importer;
      const [mine, other] = [await createWallet(owner), await createWallet(owner)];
      const privateKeyId = await createPrivateKey(owner);
      const target = newTarget();
      const compressed = Buffer.from(p256.Point.fromBytes(target.publicKey).toBytes(true)).toString('hex').toUpperCase();
      await allow(owner, userId, `activity.action == 'EXPORT' && wallet.id == '${mine.walletId}'`);
      await allow(
        owner,
        userId,
        `activity.kind == 'EXPORT_PRIVATE_KEY' && private_key.id == '${privateKeyId}' && activity.params.target_public_key == '${target.hex}'`,
      );
      const ask = (name: 'exportWallet' | 'exportWalletAccount' | 'exportPrivateKey', params: object) =>
        caller.submit(name, params);
      const targetPublicKey = newTarget().hex;
      expect((await ask('exportWallet', { walletId: mine.walletId, targetPublicKey })).status).toBe(200);
      expect((await ask('exportWalletAccount', { address: mine.addresses[0], targetPublicKey })).status).toBe(200);
      expect((await ask('exportWallet', { walletId: other.walletId, targetPublicKey })).status).toBe(403);
      expect((await ask('exportWalletAccount', { address: other.addresses[0], targetPublicKey })).status).toBe(403);
      expect((await ask('exportPrivateKey', { privateKeyId, targetPublicKey })).status).toBe(403);
      // The policy matches the target key in every spelling.
      for (const spelled of [target.hex, target.hex.toUpperCase(), compressed])
        expect((await ask('exportPrivateKey', { privateKeyId, targetPublicKey: spelled })).status).toBe(200);
    });

    test('a denied export reveals nothing and marks nothing', async () => {
      const { root: owner, members } = await createOrganization(root(), { members: 1 });
      const { walletId } = await createWallet(owner);
      const answer = await (members[0] as Importer).caller.submit('exportWallet', { walletId, targetPublicKey: newTarget().hex });
      expect(errorOf(answer)).toMatchObject({ status: 403, code: 'POLICY_DENIED' });
      expect(JSON.stringify(answer.body)).not.toContain('exportBundle');
      expect((await owner.data('getWallet', { walletId })).wallet.exported).toBe(false);
    });
  });
});
