import { readFileSync } from 'node:fs';
import { p256 } from '@noble/curves/nist.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import { describe, expect, test } from 'vitest';
import { nativePublicKey, oracles } from '../../../packages/chains/test/addresses/oracles.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { openSecrets } from '../../support/open-secrets.ts';
import {
  createPrivateKey,
  createWallet,
  errorOf,
  ethereumAccount,
  ethereumPath,
  madeUpId,
  privateKeyParams,
  signParams,
  uniqueName,
} from '../../support/world.ts';

const curves = ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'] as const;

type Curve = (typeof curves)[number];

interface AddressVector {
  readonly format: keyof typeof oracles;
  readonly curve: Curve;
  readonly path: string;
}

/** Every combination of format, curve and path in the corpus. */
const { vectors } = JSON.parse(readFileSync(new URL('../../../conformance/addresses/vectors.json', import.meta.url), 'utf8')) as {
  vectors: AddressVector[];
};

const formatsOf = (curve: Curve) => [...new Set(vectors.filter((vector) => vector.curve === curve).map(({ format }) => format))];

const toHex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

const publicKeyForm = (curve: Curve) => (curve === 'CURVE_ED25519' ? /^[0-9a-f]{64}$/ : /^0[23][0-9a-f]{64}$/);

/** The public key at a path, derived by libraries that the service does not use. */
function independentPublicKey(seed: Uint8Array, curve: Curve, path: string): Uint8Array | undefined {
  if (curve === 'CURVE_SECP256K1') return HDKey.fromMasterSeed(seed).derive(path).publicKey ?? undefined;
  if (curve === 'CURVE_ED25519') return Slip10Key.fromMasterSeed(seed).derive(path).publicKeyRaw;
  return undefined;
}

async function listAllAccounts(root: Caller, walletId: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let after: string | undefined; ; after = all.at(-1).walletAccountId) {
    const paginationOptions = { limit: '100', ...(after && { after }) };
    const { accounts } = await root.data('listWalletAccounts', { walletId, paginationOptions });
    if (accounts.length === 0) return all;
    all.push(...accounts);
  }
}

describeEngines('private keys', (subject) => {
  test.each(curves)('a key of %s has an address in every format of its curve', async (curve) => {
    const { root } = subject().service;
    const formats = formatsOf(curve);
    const params = privateKeyParams(curve, formats);
    const { privateKeys } = await root.result('createPrivateKeys', { privateKeys: [params] });
    const [{ privateKeyId, addresses }] = privateKeys;
    const { privateKey } = await root.data('getPrivateKey', { privateKeyId });
    expect(privateKey).toMatchObject({
      privateKeyId,
      privateKeyName: params.privateKeyName,
      curve,
      addresses,
      exported: false,
      imported: false,
    });
    expect(privateKey.publicKey).toMatch(publicKeyForm(curve));
    const publicKey = Buffer.from(privateKey.publicKey, 'hex');
    expect(addresses).toEqual(formats.map((format) => ({ format, address: oracles[format](publicKey, curve) })));
    const secret = (await openSecrets(subject().installation)).find(({ id }) => id === privateKeyId);
    expect(toHex(nativePublicKey(curve, secret?.bytes as Uint8Array))).toBe(privateKey.publicKey);
  });

  test('several are created in the order of the request, and listed', async () => {
    const { root } = subject().service;
    const wanted = curves.map((curve) => privateKeyParams(curve));
    const { privateKeys } = await root.result('createPrivateKeys', { privateKeys: wanted });
    const listed = (await root.data('listPrivateKeys')).privateKeys.slice(-3);
    expect(listed.map((key: Json) => key.privateKeyId)).toEqual(privateKeys.map((key: Json) => key.privateKeyId));
    expect(listed.map((key: Json) => key.privateKeyName)).toEqual(wanted.map((key) => key.privateKeyName));
  });

  test('the first version of create_private_keys answers with ids only', async () => {
    const root = subject().service.root.with({ dialect: 'turnkey' });
    const params = { privateKeys: [privateKeyParams('CURVE_P256')] };
    const { body } = await root.submit('createPrivateKeys', params, { type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS' });
    expect(body.activity.intent).toEqual({ createPrivateKeysIntent: params });
    expect(body.activity.result).toEqual({ createPrivateKeysResult: { privateKeyIds: [expect.any(String)] } });
  });

  test('names are unique, formats fit the curve and are not repeated, and unknown tags are not found', async () => {
    const { root } = subject().service;
    const taken = privateKeyParams('CURVE_P256');
    await root.result('createPrivateKeys', { privateKeys: [taken] });
    const refused = async (...privateKeys: object[]) => errorOf(await root.submit('createPrivateKeys', { privateKeys }));
    const fresh = () => privateKeyParams('CURVE_P256');
    expect(await refused(fresh(), taken)).toEqual({ status: 400, code: 'NAME_TAKEN', fields: ['privateKeys.1.privateKeyName'] });
    const twin = fresh();
    expect(await refused(twin, twin)).toEqual({ status: 400, code: 'NAME_TAKEN', fields: ['privateKeys.1.privateKeyName'] });
    expect(await refused(privateKeyParams('CURVE_P256', ['ADDRESS_FORMAT_ETHEREUM']))).toEqual({
      status: 400,
      code: 'REQUEST_INVALID',
      fields: ['privateKeys.0.addressFormats.0'],
    });
    const solana = 'ADDRESS_FORMAT_SOLANA';
    expect(await refused(privateKeyParams('CURVE_ED25519', [solana, solana]))).toMatchObject({
      fields: ['privateKeys.0.addressFormats.1'],
    });
    expect(await refused({ ...fresh(), privateKeyTags: [madeUpId()] })).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      fields: ['privateKeys.0.privateKeyTags.0'],
    });
  });

  test('a key that was never exported is deleted only on explicit request, and is then gone', async () => {
    const { root } = subject().service;
    const privateKeyId = await createPrivateKey(root);
    const params = { privateKeyIds: [privateKeyId] };
    for (const more of [{}, { deleteWithoutExport: false }, { deleteWithoutExport: null }]) {
      const answer = await root.submit('deletePrivateKeys', { ...params, ...more });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED', fields: ['privateKeyIds.0'] });
    }
    await root.result('signRawPayload', signParams(privateKeyId));
    expect(await root.result('deletePrivateKeys', { ...params, deleteWithoutExport: true })).toEqual(params);
    expect(errorOf(await root.submit('signRawPayload', signParams(privateKeyId)))).toMatchObject({
      status: 404,
      code: 'SIGN_WITH_NOT_FOUND',
    });
    expect(errorOf(await root.query('getPrivateKey', { privateKeyId }))).toMatchObject({ status: 404 });
    expect(await subject().raw.all('SELECT id FROM secrets WHERE id = ?', privateKeyId)).toEqual([]);
    expect(errorOf(await root.submit('deletePrivateKeys', { ...params, deleteWithoutExport: true }))).toEqual({
      status: 404,
      code: 'NOT_FOUND',
      fields: ['privateKeyIds.0'],
    });
  });

  test('nothing is deleted if a key is named twice or unknown', async () => {
    const { root } = subject().service;
    const privateKeyId = await createPrivateKey(root);
    const refused = async (...privateKeyIds: string[]) =>
      errorOf(await root.submit('deletePrivateKeys', { privateKeyIds, deleteWithoutExport: true }));
    expect(await refused(privateKeyId, privateKeyId)).toMatchObject({ status: 400, fields: ['privateKeyIds.1'] });
    expect(await refused(privateKeyId, madeUpId())).toMatchObject({ status: 404, fields: ['privateKeyIds.1'] });
    await root.result('signRawPayload', signParams(privateKeyId));
  });
});

describeEngines('wallets', (subject) => {
  test('a wallet’s accounts match its recovery phrase, in every format and on every path of the corpus', async () => {
    const { root } = subject().service;
    const byPath = new Map(vectors.map((vector) => [vector.path, vector]));
    const accounts = [...byPath.values()].map(({ format, curve, path }) => ({
      curve,
      pathFormat: 'PATH_FORMAT_BIP32',
      path,
      addressFormat: format,
    }));
    const params = { walletName: uniqueName('Wallet'), accounts, mnemonicLength: 24 };
    const { walletId, addresses } = await root.result('createWallet', params);
    const listed = await listAllAccounts(root, walletId);
    expect(listed).toHaveLength(accounts.length);
    expect(listed.toReversed().map((account) => account.address)).toEqual(addresses);
    const { mnemonic } = (await openSecrets(subject().installation)).find(({ id }) => id === walletId) ?? {};
    expect(mnemonic?.split(' ')).toHaveLength(24);
    const seed = mnemonicToSeedSync(mnemonic as string);
    for (const { curve, path, addressFormat, address, publicKey } of listed) {
      const key = Buffer.from(publicKey, 'hex');
      expect(publicKey, path).toMatch(publicKeyForm(curve));
      expect(address, path).toBe(oracles[addressFormat as keyof typeof oracles](key, curve));
      if (curve === 'CURVE_P256') p256.Point.fromBytes(key).assertValidity();
      else expect(toHex(independentPublicKey(seed, curve, path)), path).toBe(publicKey);
    }
  });

  test.each([12, 15, 18, 21, 24])('a wallet of %i words has that many words', async (mnemonicLength) => {
    const { root } = subject().service;
    const { walletId } = await root.result('createWallet', { walletName: uniqueName('Wallet'), accounts: [], mnemonicLength });
    const { mnemonic } = (await openSecrets(subject().installation)).find(({ id }) => id === walletId) ?? {};
    expect(mnemonic?.split(' ')).toHaveLength(mnemonicLength);
  });

  test('it has 12 words by default, and other lengths are refused', async () => {
    const { root } = subject().service;
    const { walletId } = await createWallet(root, 0);
    const { mnemonic } = (await openSecrets(subject().installation)).find(({ id }) => id === walletId) ?? {};
    expect(mnemonic?.split(' ')).toHaveLength(12);
    for (const mnemonicLength of [0, 11, 13, 25, '12']) {
      const answer = await root.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [], mnemonicLength });
      expect(errorOf(answer)).toMatchObject({ status: 400, fields: ['mnemonicLength'] });
    }
  });

  test('further accounts come from the same seed; without persist they are derived but not stored', async () => {
    const { root } = subject().service;
    const { walletId, addresses } = await createWallet(root, 2);
    const fresh = { walletId, accounts: [{ ...ethereumAccount(5), name: 'Fifth' }] };
    const dry = await root.result('createWalletAccounts', { ...fresh, persist: false });
    const count = async () => (await root.data('listWalletAccounts', { walletId })).accounts.length;
    expect(await count()).toBe(2);
    expect(await root.result('createWalletAccounts', fresh)).toEqual(dry);
    expect(await count()).toBe(3);
    const again = await root.result('createWalletAccounts', { walletId, accounts: [ethereumAccount(1)], persist: false });
    expect(again.addresses).toEqual([addresses[1]]);
    const { account } = await root.data('getWalletAccount', { walletId, path: ethereumPath(5) });
    expect(account).toMatchObject({ name: 'Fifth', address: dry.addresses[0], walletId, pathFormat: 'PATH_FORMAT_BIP32' });
  });

  test('an account is found by its address, in upper or lower case, or by its path, in its own wallet only', async () => {
    const { root } = subject().service;
    const { walletId, addresses } = await createWallet(root, 1);
    const [address = ''] = addresses;
    for (const fields of [{ address }, { address: address.toLowerCase() }, { path: ethereumPath(0) }]) {
      const { account } = await root.data('getWalletAccount', { walletId, ...fields });
      expect(account.address, JSON.stringify(fields)).toBe(address);
    }
    const other = await createWallet(root, 1);
    expect(errorOf(await root.query('getWalletAccount', { walletId: other.walletId, address }))).toMatchObject({ status: 404 });
    expect(errorOf(await root.query('getWalletAccount', { walletId }))).toMatchObject({ status: 400 });
    expect(errorOf(await root.query('getWalletAccount', { walletId, address, path: ethereumPath(0) }))).toMatchObject({
      status: 400,
    });
  });

  test('wallet names are unique, and so are the accounts of a format in a wallet', async () => {
    const { root } = subject().service;
    const walletName = uniqueName('Wallet');
    const { walletId } = await root.result('createWallet', { walletName, accounts: [ethereumAccount(0)] });
    const refused = async (params: object) => errorOf(await root.submit('createWallet', params));
    expect(await refused({ walletName, accounts: [] })).toEqual({ status: 400, code: 'NAME_TAKEN', fields: ['walletName'] });
    const twice = [ethereumAccount(0), ethereumAccount(0)];
    expect(await refused({ walletName: uniqueName('Wallet'), accounts: twice })).toMatchObject({ fields: ['accounts.1.path'] });
    const again = await root.submit('createWalletAccounts', { walletId, accounts: [ethereumAccount(1), ethereumAccount(0)] });
    expect(errorOf(again)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: ['accounts.1.path'] });
    expect((await root.data('listWalletAccounts', { walletId })).accounts).toHaveLength(1);
  });

  test.each([
    ['does not start with m', { path: "44'/60'" }, 'path'],
    ['has an index beyond 2^31', { path: 'm/2147483648' }, 'path'],
    ['is not hardened for ed25519', { curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA', path: 'm/44/501' }, 'path'],
    ['has a format of another curve', { addressFormat: 'ADDRESS_FORMAT_SOLANA' }, 'addressFormat'],
    ['has another path format', { pathFormat: 'PATH_FORMAT_BIP44' }, 'pathFormat'],
  ])('an account that %s is refused', async (_what, change, field) => {
    const { root } = subject().service;
    const accounts = [{ ...ethereumAccount(0), ...change }];
    const answer = await root.submit('createWallet', { walletName: uniqueName('Wallet'), accounts });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'REQUEST_INVALID', fields: [`accounts.0.${field}`] });
  });

  describe('listings', () => {
    test('accounts are listed newest first, in pages, with their wallets on request', async () => {
      const { root } = subject().service;
      const { walletId, addresses } = await createWallet(root, 7);
      const newest = addresses.toReversed();
      const list = async (fields: object) => (await root.data('listWalletAccounts', { walletId, ...fields })).accounts as Json[];
      const first = await list({ paginationOptions: { limit: '3' } });
      expect(first.map((account) => account.address)).toEqual(newest.slice(0, 3));
      const cursor = first[2].walletAccountId;
      const next = await list({ paginationOptions: { limit: '3', after: cursor } });
      expect(next.map((account) => account.address)).toEqual(newest.slice(3, 6));
      const back = await list({ paginationOptions: { limit: '2', before: next[0].walletAccountId } });
      expect(back.map((account) => account.address)).toEqual(newest.slice(1, 3));
      expect(first[0]).not.toHaveProperty('walletDetails');
      const [detailed] = await list({ includeWalletDetails: true });
      expect(detailed.walletDetails).toEqual((await root.data('getWallet', { walletId })).wallet);
      const all = (await root.data('listWalletAccounts', { paginationOptions: { limit: '100' } })).accounts;
      expect(all.length).toBeGreaterThan(7);
    });

    test('wallets are listed with their names', async () => {
      const { root } = subject().service;
      const { walletId } = await createWallet(root);
      const { wallets } = await root.data('listWallets');
      expect(wallets.at(-1)).toEqual((await root.data('getWallet', { walletId })).wallet);
      expect(errorOf(await root.query('getWallet', { walletId: madeUpId() }))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    });
  });
});
