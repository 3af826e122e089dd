import { addressFormatIds, addressFormats, encodeAddress, encodeFeeMarketTransaction } from '@countersign/chains';
import { type Client, CountersignError, type ListedActivity } from '@countersign/client';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { checkActivity } from '../src/review/check-activity.ts';
import { isNamed, readSigning } from '../src/review/read-request.ts';
import type { Signer, StatedKeys } from '../src/review/types.ts';

const keyId = '0190aaaa-0000-7000-8000-000000000001';
const curve = 'CURVE_SECP256K1';
const format = 'ADDRESS_FORMAT_ETHEREUM';
const publicKeyOf = (secret: number) => secp256k1.getPublicKey(new Uint8Array(32).fill(secret), true);
const addressOf = (secret: number) => encodeAddress(format, curve, publicKeyOf(secret));
const TREASURY = 4;
const OTHER = 5;

const unsignedTransaction = encodeFeeMarketTransaction({
  ...{ chainId: 1n, nonce: 0n, gas: 21_000n, value: 100n * 10n ** 18n, to: `0x${'cc'.repeat(20)}`, data: '0x' },
  ...{ maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n },
});

const type = 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2';
const knowledge = { contacts: [], tokens: [], interfaces: [] };

/** What the service states about a request: the effects that the key has which it states. */
async function activityOf(named: Readonly<Record<string, unknown>>, publicKey: Uint8Array): Promise<ListedActivity> {
  const parameters = { ...named, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction };
  const message = JSON.stringify({ type, organizationId: 'o', timestampMs: '1', parameters });
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(message));
  const signer: Signer = { curve, publicKey: bytesToHex(publicKey), addressFormat: format };
  const effects = readSigning({ type, organizationId: 'o', parameters }, signer, knowledge)?.effects;
  return {
    ...{ id: 'a', type, organizationId: 'o', fingerprint: `sha256:${Buffer.from(hash).toString('hex')}`, parsed: { effects } },
    ...{ intent: { signTransactionIntentV2: { privateKeyId: keyId } }, votes: [{ message }] },
  } as unknown as ListedActivity;
}

const privateKey = (secret: number, address: string) =>
  ({
    ...{ privateKeyId: keyId, privateKeyName: 'Test', curve, publicKey: bytesToHex(publicKeyOf(secret)) },
    ...{ addresses: [{ format, address }], updatedAt: { seconds: '1', nanos: '0' } },
  }) as unknown as StatedKeys['privateKeys'][number];

const account = (secret: number, address: string) =>
  ({
    ...{ walletAccountId: keyId, curve, publicKey: bytesToHex(publicKeyOf(secret)), addressFormat: format, address },
  }) as unknown as StatedKeys['accounts'][number];

/** The check of a request, with a log that proves the record of each stated key. */
async function check(named: Readonly<Record<string, unknown>>, secret: number, keys: Partial<StatedKeys>) {
  const prover = { record: async () => ({ activityId: 'w', userName: 'Ann', atMs: 1 }), result: async () => undefined };
  const activity = await activityOf(named, publicKeyOf(secret));
  const stated = { wallets: [], accounts: [], privateKeys: [], ...keys };
  const client = {
    getPrivateKey: () => Promise.reject(new CountersignError(404, 'X', 'x')),
    listWalletAccounts: async () => ({ accounts: stated.accounts }),
  } as unknown as Client;
  return checkActivity(client, activity, knowledge, prover, stated);
}

describe('D1170: the key that a response states for a request', () => {
  const treasury = addressOf(TREASURY);

  test('has the stamped address', async () => {
    const spellings = [treasury, treasury.toLowerCase()];
    for (const signWith of spellings) {
      const byKey = await check({ signWith }, TREASURY, { privateKeys: [privateKey(TREASURY, treasury)] });
      expect(byKey).toMatchObject({ state: 'read', reading: { sentence: expect.stringContaining('private key "Test"') } });
      expect(await check({ signWith }, TREASURY, { accounts: [account(TREASURY, treasury)] })).toMatchObject({ state: 'read' });
    }
  });

  test('is not another private key to which the response adds the address', async () => {
    const keys = { privateKeys: [privateKey(OTHER, treasury)] };
    expect(await check({ signWith: treasury }, OTHER, keys)).toEqual({ state: 'mismatch' });
  });

  test('is not an account with another public key, from the names or from the list', async () => {
    const accounts = [account(OTHER, treasury)];
    expect(await check({ signWith: treasury }, OTHER, { accounts })).toEqual({ state: 'mismatch' });
    const lower = treasury.toLowerCase();
    expect(await check({ signWith: lower }, OTHER, { accounts: [account(OTHER, lower)] })).toEqual({ state: 'mismatch' });
  });

  test('has the stamped id', async () => {
    const privateKeys = [privateKey(OTHER, addressOf(OTHER))];
    expect(await check({ signWith: keyId }, OTHER, { privateKeys })).toMatchObject({ state: 'read' });
    const another = '0190aaaa-0000-7000-8000-000000000002';
    const stated = [privateKey(OTHER, another)];
    expect(await check({ signWith: another }, OTHER, { privateKeys: stated })).toEqual({ state: 'mismatch' });
    expect(await check({ signWith: another }, OTHER, { accounts: [account(OTHER, another)] })).toEqual({ state: 'mismatch' });
  });

  test('is not one without an address, for a request that names several', async () => {
    const signWiths = [treasury, addressOf(6)];
    expect(await check({ signWiths }, OTHER, { privateKeys: [privateKey(OTHER, '')] })).toEqual({ state: 'mismatch' });
  });
});

test('D1170: an address of every format is derived from its key', () => {
  const secret = new Uint8Array(32).fill(7);
  const keys = {
    CURVE_SECP256K1: secp256k1.getPublicKey(secret, true),
    CURVE_P256: p256.getPublicKey(secret, true),
    CURVE_ED25519: ed25519.getPublicKey(secret),
  };
  for (const addressFormat of addressFormatIds)
    for (const each of addressFormats[addressFormat].curves) {
      const signer = { curve: each, publicKey: bytesToHex(keys[each]), addressFormat };
      const address = encodeAddress(addressFormat, each, keys[each]);
      expect(isNamed(signer, address), addressFormat).toBe(true);
      const altered = { ...signer, publicKey: bytesToHex(publicKeyOf(OTHER)), curve } as const;
      expect(isNamed(altered, address), addressFormat).toBe(false);
    }
  expect(isNamed({ curve, publicKey: 'zz', addressFormat: format }, addressOf(OTHER))).toBe(false);
  expect(isNamed({ curve, publicKey: bytesToHex(publicKeyOf(OTHER)), addressFormat: 'X' }, addressOf(OTHER))).toBe(false);
});
