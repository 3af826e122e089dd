import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hexToBytes } from '@noble/hashes/utils.js';
import { expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { errorOf, signParams, uniqueName } from '../../support/world.ts';

const PATH = "m/86'/1'/0'/0/0";

const at = (addressFormat: string, path = PATH, curve = 'CURVE_SECP256K1') => ({
  curve,
  pathFormat: 'PATH_FORMAT_BIP32',
  path,
  addressFormat: `ADDRESS_FORMAT_${addressFormat}`,
});

/** Two test networks have one spelling of this address. */
const TWINS = ['BITCOIN_TESTNET_P2WPKH', 'BITCOIN_SIGNET_P2WPKH'] as const;
const FORMATS = ['COMPRESSED', 'BITCOIN_MAINNET_P2TR', 'ETHEREUM', ...TWINS] as const;

describeEngines('accounts at one path', (subject) => {
  async function newWallet(root: Caller, accounts: readonly object[]) {
    return root.result('createWallet', { walletName: uniqueName('Wallet'), accounts });
  }

  const listed = async (root: Caller, walletId: string): Promise<Json[]> =>
    (await root.data('listWalletAccounts', { walletId })).accounts;

  test('share one key, created in one request or in several', async () => {
    const { root } = subject().service;
    const { walletId, addresses } = await newWallet(
      root,
      FORMATS.map((format) => at(format)),
    );
    expect(addresses).toHaveLength(FORMATS.length);
    const later = await root.result('createWalletAccounts', { walletId, accounts: [at('UNCOMPRESSED'), at('COSMOS')] });
    const accounts = await listed(root, walletId);
    expect(new Set(accounts.map(({ publicKey }) => publicKey))).toEqual(new Set([addresses[0]]));
    expect(new Set(accounts.map(({ path }) => path))).toEqual(new Set([PATH]));
    expect(later.addresses[0]).toBe(hexOfUncompressed(addresses[0]));
    for (const { address, addressFormat } of accounts) {
      const { account } = await root.data('getWalletAccount', { walletId, address });
      expect(account.address).toBe(address);
      if (!addressFormat.includes('TESTNET') && !addressFormat.includes('SIGNET'))
        expect(account.addressFormat).toBe(addressFormat);
    }
  });

  test('are unique per address format, for every spelling of the path', async () => {
    const { root } = subject().service;
    const { walletId } = await newWallet(root, [at('COMPRESSED'), at('BITCOIN_MAINNET_P2TR')]);
    const refused = async (...accounts: object[]) => errorOf(await root.submit('createWalletAccounts', { walletId, accounts }));
    const taken = { status: 400, code: 'REQUEST_INVALID' };
    expect(await refused(at('COMPRESSED'))).toEqual({ ...taken, fields: ['accounts.0.path'] });
    expect(await refused(at('COSMOS'), at('BITCOIN_MAINNET_P2TR'))).toEqual({ ...taken, fields: ['accounts.1.path'] });
    expect(await refused(at('COSMOS'), at('COSMOS'))).toEqual({ ...taken, fields: ['accounts.1.path'] });
    expect(await refused(at('COSMOS'), at('COSMOS', PATH.replaceAll("'", 'h')))).toMatchObject(taken);
    expect(await listed(root, walletId)).toHaveLength(2);
  });

  test('have a separate key per curve', async () => {
    const { root } = subject().service;
    const path = "m/44'/501'/0'/0'";
    const { addresses } = await newWallet(root, [at('ETHEREUM', path), at('SOLANA', path, 'CURVE_ED25519')]);
    for (const address of addresses) {
      const hashFunction = address.startsWith('0x') ? 'HASH_FUNCTION_KECCAK256' : 'HASH_FUNCTION_NOT_APPLICABLE';
      const answer = await root.submit('signRawPayload', { ...signParams(address), hashFunction });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    }
  });

  test('sign with that key, even if two formats yield the same address', async () => {
    const { root } = subject().service;
    const { addresses } = await newWallet(
      root,
      FORMATS.filter((format) => !format.includes('P2TR')).map((format) => at(format)),
    );
    const payload = '11'.repeat(32);
    const publicKey = hexToBytes(addresses[0]);
    for (const signWith of addresses) {
      const params = { ...signParams(signWith, payload), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' };
      const { r, s } = await root.result('signRawPayload', { ...params, hashFunction: 'HASH_FUNCTION_NO_OP' });
      expect(secp256k1.verify(hexToBytes(r + s), hexToBytes(payload), publicKey, { prehash: false }), signWith).toBe(true);
    }
  });

  test('two accounts with one text for an address sign by that address and by their ids', async () => {
    const { root } = subject().service;
    const { walletId, addresses } = await newWallet(
      root,
      TWINS.map((format) => at(format)),
    );
    expect(addresses[0]).toBe(addresses[1]);
    expect((await root.submit('signRawPayload', signParams(addresses[0]))).status).toBe(200);
    for (const { walletAccountId } of await listed(root, walletId))
      expect((await root.submit('signRawPayload', signParams(walletAccountId))).status).toBe(200);
  });

  test('a path resolves to its first account', async () => {
    const { root } = subject().service;
    const { walletId } = await newWallet(root, [at('ETHEREUM')]);
    await root.result('createWalletAccounts', { walletId, accounts: [at('COMPRESSED'), at('COSMOS')] });
    const { account } = await root.data('getWalletAccount', { walletId, path: PATH });
    expect(account.addressFormat).toBe('ADDRESS_FORMAT_ETHEREUM');
  });

  test('are deleted individually, and a deleted format can be created again', async () => {
    const { root } = subject().service;
    const { walletId, addresses } = await newWallet(root, [at('COMPRESSED'), at('ETHEREUM')]);
    const accounts = await listed(root, walletId);
    const [first, second] = addresses.map((address: string) => accounts.find((account) => account.address === address));
    const walletAccountIds = [first.walletAccountId];
    expect(errorOf(await root.submit('deleteWalletAccounts', { walletAccountIds }))).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await root.result('deleteWalletAccounts', { walletAccountIds, deleteWithoutExport: true });
    expect((await listed(root, walletId)).map(({ walletAccountId }) => walletAccountId)).toEqual([second.walletAccountId]);
    expect((await root.submit('signRawPayload', signParams(addresses[1]))).status).toBe(200);
    expect(errorOf(await root.submit('signRawPayload', signParams(addresses[0])))).toMatchObject({ code: 'SIGN_WITH_NOT_FOUND' });
    const again = await root.result('createWalletAccounts', { walletId, accounts: [at('COMPRESSED')] });
    expect(again.addresses).toEqual([addresses[0]]);
  });
});

function hexOfUncompressed(compressed: string): string {
  return secp256k1.Point.fromHex(compressed).toHex(false);
}
