import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';
import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { wordlist as french } from '@scure/bip39/wordlists/french.js';
import { describe, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createSubOrganization, createWallet, errorOf, ethereumAccount, ethereumPath, signParams } from '../../support/world.ts';
import {
  type Importer,
  type ImportKind,
  newTarget,
  openExport,
  phraseOf,
  prepareImport,
  publicKeyOf,
  runImport,
  STANDARD,
  STANDARD_ADDRESS,
  samples,
  submitImport,
  utf8,
} from './transfer-support.ts';

describeEngines('imports', (subject) => {
  const root = () => subject().service.root;
  const importer = (): Promise<Importer> => createSubOrganization(root());

  test('a wallet signs with the accounts of its phrase, is marked as imported, and is exported unchanged', async () => {
    const own = await importer();
    const { walletId, addresses } = await runImport(own, 'wallet', utf8(STANDARD), { accounts: [ethereumAccount(0)] });
    expect(addresses).toEqual([STANDARD_ADDRESS]);
    const { wallet } = await own.caller.data('getWallet', { walletId });
    expect(wallet).toMatchObject({ imported: true, exported: false });
    const { r, s } = await own.caller.result('signRawPayload', signParams(STANDARD_ADDRESS, 'hello'));
    const { account } = await own.caller.data('getWalletAccount', { walletId, address: STANDARD_ADDRESS });
    const valid = secp256k1.verify(Buffer.from(r + s, 'hex'), utf8('hello'), Buffer.from(account.publicKey, 'hex'));
    expect(valid).toBe(true);
    const further = { walletId, accounts: [ethereumAccount(1)] };
    expect((await own.caller.result('createWalletAccounts', further)).addresses).toHaveLength(1);
    expect(await phraseOf(own.caller, walletId)).toBe(STANDARD);
  });

  test('a phrase in another language keeps the keys of its words, and is exported in that language', async () => {
    const own = await importer();
    const phrase = entropyToMnemonic(new Uint8Array(32).fill(7), french);
    const { walletId, addresses } = await runImport(own, 'wallet', utf8(phrase), { accounts: [ethereumAccount(0)] });
    const publicKey = HDKey.fromMasterSeed(mnemonicToSeedSync(phrase)).derive(ethereumPath(0)).publicKey as Uint8Array;
    const { account } = await own.caller.data('getWalletAccount', { walletId, address: addresses[0] });
    expect(account.publicKey).toBe(Buffer.from(publicKey).toString('hex'));
    expect(await phraseOf(own.caller, walletId)).toBe(phrase);
    const warned = await own.caller
      .with({ dialect: 'turnkey' })
      .submit('exportWallet', { walletId, targetPublicKey: newTarget().hex, language: 'MNEMONIC_LANGUAGE_ENGLISH' });
    expect(warned.body.activity.warnings[0]).toContain('MNEMONIC_LANGUAGE_FRENCH');
  });

  test('a passphrase after a line feed is part of the wallet', async () => {
    const own = await importer();
    const text = `${STANDARD}\nTREZOR`;
    const { walletId, addresses } = await runImport(own, 'wallet', utf8(text), { accounts: [ethereumAccount(0)] });
    const node = HDKey.fromMasterSeed(mnemonicToSeedSync(STANDARD, 'TREZOR')).derive(ethereumPath(0));
    const { account } = await own.caller.data('getWalletAccount', { walletId, address: addresses[0] });
    expect(account.publicKey).toBe(Buffer.from(node.publicKey as Uint8Array).toString('hex'));
    expect(await phraseOf(own.caller, walletId)).toBe(text);
  });

  test.each(Object.keys(publicKeyOf) as (keyof typeof publicKeyOf)[])(
    'a private key of %s signs, is marked as imported, and is exported unchanged',
    async (curve) => {
      const own = await importer();
      const secret = new Uint8Array(32).fill(0x2a);
      const addressFormats = ['ADDRESS_FORMAT_COMPRESSED'];
      const result = await runImport(own, 'privateKey', secret, { curve, addressFormats });
      const publicKeyHex = Buffer.from(publicKeyOf[curve](secret)).toString('hex');
      expect(result.addresses).toEqual([{ format: 'ADDRESS_FORMAT_COMPRESSED', address: publicKeyHex }]);
      const { privateKeyId } = result;
      const { privateKey } = await own.caller.data('getPrivateKey', { privateKeyId });
      expect(privateKey).toMatchObject({ publicKey: publicKeyHex, curve, imported: true, exported: false, privateKeyTags: [] });
      const hashFunction = curve === 'CURVE_ED25519' ? 'HASH_FUNCTION_NOT_APPLICABLE' : 'HASH_FUNCTION_SHA256';
      const signed = await own.caller.submit('signRawPayload', { ...signParams(privateKeyId), hashFunction });
      expect(signed.status).toBe(200);
      const target = newTarget();
      const { exportBundle } = await own.caller.result('exportPrivateKey', { privateKeyId, targetPublicKey: target.hex });
      expect((await openExport(own.caller, exportBundle, target)).equals(secret)).toBe(true);
    },
  );

  describe('what the organization has already is refused, with its id', () => {
    const credentialsOfUser = async (own: Importer, kind: ImportKind, secret: Uint8Array, more: object = {}) => {
      const answer = await submitImport(own, kind, await prepareImport(own, kind, secret), more);
      expect(errorOf(answer)).toMatchObject({ status: 400, code: 'KEY_TAKEN' });
      return answer.body.message;
    };

    test.each([
      ['with an account', 'with the same account', [ethereumAccount(0)], [ethereumAccount(0)]],
      ['with an account', 'with another account', [ethereumAccount(0)], [ethereumAccount(5)]],
      ['with an account', 'without accounts', [ethereumAccount(3)], []],
      ['without accounts', 'with an account', [], [ethereumAccount(0)]],
      ['without accounts', 'without accounts', [], []],
    ])('a phrase %s, brought again %s', async (_first, _second, accounts, again) => {
      const own = await importer();
      const { walletId } = await runImport(own, 'wallet', utf8(STANDARD), { accounts });
      expect(await credentialsOfUser(own, 'wallet', utf8(STANDARD), { accounts: again })).toContain(`wallet ${walletId}`);
      expect((await own.caller.data('listWallets')).wallets).toHaveLength(1);
      await runImport(own, 'wallet', utf8(`${STANDARD}\nanother passphrase`), { accounts: again });
      await runImport(await importer(), 'wallet', utf8(STANDARD), { accounts });
    });

    test('a phrase that was made here and exported', async () => {
      const own = await importer();
      const { walletId } = await createWallet(own.caller);
      expect(await credentialsOfUser(own, 'wallet', utf8(await phraseOf(own.caller, walletId)))).toContain(`wallet ${walletId}`);
    });

    test('a private key of the same curve, and the key of a wallet account', async () => {
      const own = await importer();
      const { privateKeyId } = await runImport(own, 'privateKey', samples.privateKey);
      expect(await credentialsOfUser(own, 'privateKey', samples.privateKey)).toContain(`private key ${privateKeyId}`);
      await runImport(own, 'privateKey', samples.privateKey, { curve: 'CURVE_P256' });
      const { walletId, addresses } = await createWallet(own.caller);
      const target = newTarget();
      const params = { address: addresses[0], targetPublicKey: target.hex };
      const { exportBundle } = await own.caller.result('exportWalletAccount', params);
      const account = await openExport(own.caller, exportBundle, target);
      expect(await credentialsOfUser(own, 'privateKey', account)).toContain(`of wallet ${walletId}`);
    });
  });

  test('names, limits, paths and formats follow the rules for new wallets and keys', async () => {
    const own = await importer();
    const { caller } = own;
    const { walletId } = await createWallet(caller);
    const { wallet } = await caller.data('getWallet', { walletId });
    const { privateKeys } = await caller.result('createPrivateKeys', {
      privateKeys: [{ privateKeyName: 'Taken', curve: 'CURVE_P256', privateKeyTags: [], addressFormats: [] }],
    });
    expect(privateKeys).toHaveLength(1);
    const bundles = {
      wallet: await prepareImport(own, 'wallet', samples.wallet),
      privateKey: await prepareImport(own, 'privateKey', samples.privateKey),
    };
    const tries: [ImportKind, object, object][] = [
      ['wallet', { walletName: wallet.walletName }, { code: 'NAME_TAKEN', fields: ['walletName'] }],
      [
        'wallet',
        { accounts: [ethereumAccount(0), ethereumAccount(0)] },
        { code: 'REQUEST_INVALID', fields: ['accounts.1.path'] },
      ],
      [
        'wallet',
        { accounts: [{ ...ethereumAccount(0), curve: 'CURVE_ED25519', path: "m/44'/60'" }] },
        { code: 'REQUEST_INVALID', fields: ['accounts.0.addressFormat'] },
      ],
      ['privateKey', { privateKeyName: 'Taken' }, { code: 'NAME_TAKEN', fields: ['privateKeyName'] }],
      [
        'privateKey',
        { curve: 'CURVE_ED25519', addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] },
        { code: 'REQUEST_INVALID', fields: ['addressFormats.0'] },
      ],
      [
        'privateKey',
        { addressFormats: ['ADDRESS_FORMAT_ETHEREUM', 'ADDRESS_FORMAT_ETHEREUM'] },
        { code: 'REQUEST_INVALID', fields: ['addressFormats.1'] },
      ],
    ];
    const before = await countRows(subject().raw);
    for (const [kind, more, expected] of tries)
      expect(errorOf(await submitImport(own, kind, bundles[kind], more))).toMatchObject(expected);
    expect(await countRows(subject().raw)).toEqual(before);
    // None of that used up the targets.
    for (const kind of ['wallet', 'privateKey'] as const) expect((await submitImport(own, kind, bundles[kind])).status).toBe(200);
  });

  describe('invalid bundles', () => {
    const tampered: [string, (bundle: { encappedPublic: string; ciphertext: string }) => unknown][] = [
      ['an altered ciphertext', ({ ciphertext, ...rest }) => ({ ...rest, ciphertext: flip(ciphertext, 0) })],
      ['an altered tag', ({ ciphertext, ...rest }) => ({ ...rest, ciphertext: flip(ciphertext, ciphertext.length - 1) })],
      ['a cut ciphertext', ({ ciphertext, ...rest }) => ({ ...rest, ciphertext: ciphertext.slice(0, -2) })],
      ['another ephemeral key', ({ ciphertext }) => ({ ciphertext, encappedPublic: newTarget().hex })],
      [
        'an ephemeral key off the curve',
        ({ ciphertext, encappedPublic }) => ({ ciphertext, encappedPublic: flip(encappedPublic, 129) }),
      ],
      ['no ciphertext', ({ encappedPublic }) => ({ encappedPublic, ciphertext: '' })],
      ['a third field', (bundle) => ({ ...bundle, note: 'x' })],
      ['a list', ({ encappedPublic, ciphertext }) => [encappedPublic, ciphertext]],
      ['null', () => null],
    ];

    test.each(tampered)('D31: %s is refused, and nothing is imported', async (_, tamper) => {
      const own = await importer();
      const bundle = await prepareImport(own, 'wallet', samples.wallet);
      const answer = await submitImport(own, 'wallet', JSON.stringify(tamper(JSON.parse(bundle))));
      expect(errorOf(answer)).toMatchObject({ status: 400, code: 'BUNDLE_INVALID' });
      expect((await own.caller.data('listWallets')).wallets).toEqual([]);
      // A bundle that does not open does not use up the target.
      expect((await submitImport(own, 'wallet', bundle)).status).toBe(200);
    });

    test('text that is not JSON, or names a field twice, is refused and not quoted', async () => {
      const own = await importer();
      const bundle = await prepareImport(own, 'wallet', samples.wallet);
      const twice = `${bundle.slice(0, -1)},"ciphertext":"00"}`;
      for (const text of [STANDARD, '{', twice]) {
        const answer = await submitImport(own, 'wallet', text);
        expect(errorOf(answer)).toEqual({ status: 400, code: 'BUNDLE_INVALID', fields: ['encryptedBundle'] });
        expect(JSON.stringify(answer.body)).not.toContain('abandon');
      }
      expect((await subject().raw.dump()).includes('abandon abandon')).toBe(false);
      expect(subject().service.logText()).not.toContain('abandon abandon');
    });

    test('D81: a bundle with neither a phrase nor a key of the curve uses up its target and imports nothing', async () => {
      const own = await importer();
      const order = Buffer.from(secp256k1.Point.Fn.ORDER.toString(16), 'hex');
      const tries: [ImportKind, Uint8Array, object][] = [
        ['wallet', utf8(`${'abandon '.repeat(11)}abandon`), {}],
        ['wallet', utf8('correct horse battery staple'), {}],
        ['wallet', new Uint8Array(32).fill(1), {}],
        ['privateKey', order, { curve: 'CURVE_SECP256K1' }],
        ['privateKey', new Uint8Array(32), { curve: 'CURVE_P256' }],
        ['privateKey', new Uint8Array(32), { curve: 'CURVE_SECP256K1' }],
        ['privateKey', new Uint8Array(32), { curve: 'CURVE_ED25519' }],
        ['privateKey', new Uint8Array(64).fill(1), { curve: 'CURVE_ED25519' }],
        ['privateKey', utf8('11'.repeat(32)), { curve: 'CURVE_SECP256K1' }],
      ];
      for (const [kind, plaintext, more] of tries) {
        const bundle = await prepareImport(own, kind, plaintext);
        for (let attempt = 0; attempt < 2; attempt++) {
          const answer = await submitImport(own, kind, bundle, more);
          expect(errorOf(answer)).toEqual({ status: 400, code: 'BUNDLE_INVALID' });
        }
      }
      expect((await own.caller.data('listWallets')).wallets).toEqual([]);
      expect((await own.caller.data('listPrivateKeys')).privateKeys).toEqual([]);
      expect(await subject().raw.all('SELECT id FROM secrets WHERE organization_id = ?', own.caller.organizationId)).toEqual([]);
      const { activities } = await own.caller.data('listActivities', { filterByStatus: ['ACTIVITY_STATUS_FAILED'] });
      expect(activities.length).toBeGreaterThan(0);
    });
  });

  test('D61: imported and exported secrets are not in plain text in the log or the database', async () => {
    const { service, raw } = subject();
    const own = await importer();
    const phrase = entropyToMnemonic(crypto.getRandomValues(new Uint8Array(16)), wordlist);
    const secret = crypto.getRandomValues(new Uint8Array(32));
    const { walletId } = await runImport(own, 'wallet', utf8(phrase), { accounts: [ethereumAccount(0)] });
    const { privateKeyId } = await runImport(own, 'privateKey', secret, { curve: 'CURVE_ED25519' });
    expect(await phraseOf(own.caller, walletId)).toBe(phrase);
    const target = newTarget();
    const { exportBundle } = await own.caller.result('exportPrivateKey', { privateKeyId, targetPublicKey: target.hex });
    expect((await openExport(own.caller, exportBundle, target)).equals(secret)).toBe(true);
    const entropy = Buffer.from(mnemonicToEntropy(phrase, wordlist));
    const seed = Buffer.from(mnemonicToSeedSync(phrase));
    const plain = Buffer.from(secret);
    const places = [await raw.dump(), Buffer.from(service.logText())];
    for (const place of places) {
      expect(place.includes(phrase.split(' ').slice(0, 3).join(' '))).toBe(false);
      for (const bytes of [entropy, seed, plain]) {
        for (const form of [bytes, bytes.toString('hex'), bytes.toString('base64url'), bytes.toString('base64')])
          expect(place.includes(form)).toBe(false);
      }
    }
  });
});

function flip(hex: string, index: number): string {
  const digit = (Number.parseInt(hex[index] as string, 16) ^ 1).toString(16);
  return hex.slice(0, index) + digit + hex.slice(index + 1);
}
