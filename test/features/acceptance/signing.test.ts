import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { bech32m } from '@scure/base';
import { beforeAll, describe, expect, test } from 'vitest';
import { oracles } from '../../../packages/chains/test/addresses/oracles.ts';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import {
  apiKeyParams,
  createPrivateKey,
  createWallet,
  errorOf,
  ethereumAccount,
  madeUpId,
  signParams,
  uniqueName,
} from '../../support/world.ts';

const curves = ['CURVE_SECP256K1', 'CURVE_P256', 'CURVE_ED25519'] as const;
const encodings = ['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8'] as const;
const hashes = [
  'HASH_FUNCTION_NO_OP',
  'HASH_FUNCTION_SHA256',
  'HASH_FUNCTION_KECCAK256',
  'HASH_FUNCTION_NOT_APPLICABLE',
] as const;

type Curve = (typeof curves)[number];
type Encoding = (typeof encodings)[number];
type Hash = (typeof hashes)[number];

/** 32 bytes, so that the message is also a digest; as text it has 32 letters. */
const MESSAGE = 'thirty-two letters, to the byte!';

const payloadOf = (encoding: Encoding, message: string) =>
  encoding === 'PAYLOAD_ENCODING_TEXT_UTF8' ? message : Buffer.from(message).toString('hex');

const digests: Readonly<Record<Hash, (message: Uint8Array) => Uint8Array>> = {
  HASH_FUNCTION_NO_OP: (message) => message,
  HASH_FUNCTION_SHA256: (message) => createHash('sha256').update(message).digest(),
  HASH_FUNCTION_KECCAK256: (message) => keccak_256(message),
  HASH_FUNCTION_NOT_APPLICABLE: (message) => message,
};

/** Whether keys of a curve sign payloads with this hash function. */
const fits = (curve: Curve, hash: Hash) => (curve === 'CURVE_ED25519') === (hash === 'HASH_FUNCTION_NOT_APPLICABLE');

const combinations = curves.flatMap((curve) =>
  encodings.flatMap((encoding) => hashes.map((hash) => ({ curve, encoding, hash }))),
);

/** Verifies a signature with a library that the service does not use for signing. */
function verifies(curve: Curve, publicKeyHex: string, digest: Uint8Array, { r, s, v }: Json): boolean {
  expect(r + s).toMatch(/^[0-9a-f]{128}$/);
  const [signature, publicKey] = [Buffer.from(r + s, 'hex'), Buffer.from(publicKeyHex, 'hex')];
  if (curve === 'CURVE_ED25519') return v === '00' && ed25519.verify(signature, digest, publicKey);
  const { verify } = curve === 'CURVE_P256' ? p256 : secp256k1;
  // Verification refuses a high s: every signature must have the low one.
  if (!verify(signature, digest, publicKey, { prehash: false, lowS: true })) return false;
  const { Signature } = curve === 'CURVE_P256' ? p256 : secp256k1;
  const recovered = Signature.fromBytes(signature).addRecoveryBit(Number.parseInt(v, 16)).recoverPublicKey(digest);
  return recovered.toHex(true) === publicKeyHex;
}

describeEngines('sign_raw_payload', (subject) => {
  const keys = new Map<Curve, { privateKeyId: string; publicKey: string }>();
  let root: Caller;

  beforeAll(async () => {
    root = subject().service.root;
    for (const curve of curves) {
      const privateKeyId = await createPrivateKey(root, curve);
      const { privateKey } = await root.data('getPrivateKey', { privateKeyId });
      keys.set(curve, { privateKeyId, publicKey: privateKey.publicKey });
    }
  });

  const keyOf = (curve: Curve) => keys.get(curve) as { privateKeyId: string; publicKey: string };

  test.each(combinations.filter(({ curve, hash }) => fits(curve, hash)))('$curve signs $encoding with $hash', async (chosen) => {
    const { curve, encoding, hash } = chosen;
    const { privateKeyId, publicKey } = keyOf(curve);
    const params = { signWith: privateKeyId, payload: payloadOf(encoding, MESSAGE), encoding, hashFunction: hash };
    const signature = await root.result('signRawPayload', params);
    expect(verifies(curve, publicKey, digests[hash](Buffer.from(MESSAGE)), signature)).toBe(true);
  });

  test.each(combinations.filter(({ curve, hash }) => !fits(curve, hash)))('$curve does not sign with $hash', async (chosen) => {
    const { curve, encoding, hash } = chosen;
    const params = { signWith: keyOf(curve).privateKeyId, payload: payloadOf(encoding, MESSAGE), encoding, hashFunction: hash };
    expect(errorOf(await root.submit('signRawPayload', params))).toEqual({
      status: 400,
      code: 'PAYLOAD_INVALID',
      fields: ['hashFunction'],
    });
  });

  test.each([
    ['an odd number of digits', 'abc', 'HASH_FUNCTION_SHA256'],
    ['letters that are not digits', 'zz', 'HASH_FUNCTION_SHA256'],
    ['white space', 'ab cd', 'HASH_FUNCTION_SHA256'],
    ['0x twice', '0x0xab', 'HASH_FUNCTION_SHA256'],
    ['31 bytes as a digest', 'ab'.repeat(31), 'HASH_FUNCTION_NO_OP'],
    ['33 bytes as a digest', 'ab'.repeat(33), 'HASH_FUNCTION_NO_OP'],
    ['nothing as a digest', '', 'HASH_FUNCTION_NO_OP'],
  ])('a hexadecimal payload of %s is refused', async (_what, payload, hashFunction) => {
    const signWith = keyOf('CURVE_SECP256K1').privateKeyId;
    const answer = await root.submit('signRawPayload', { signWith, payload, encoding: encodings[0], hashFunction });
    expect(errorOf(answer)).toEqual({ status: 400, code: 'PAYLOAD_INVALID', fields: ['payload'] });
  });

  test('a 0x prefix and the case of digits make no difference, and an empty payload can be hashed', async () => {
    const sign = (payload: string) =>
      root.result('signRawPayload', {
        signWith: keyOf('CURVE_SECP256K1').privateKeyId,
        payload,
        encoding: encodings[0],
        hashFunction: 'HASH_FUNCTION_SHA256',
      });
    expect(await sign('0xABcd')).toEqual(await sign('abcd'));
    const { publicKey } = keyOf('CURVE_SECP256K1');
    expect(verifies('CURVE_SECP256K1', publicKey, digests.HASH_FUNCTION_SHA256(Buffer.alloc(0)), await sign(''))).toBe(true);
  });

  test('text is signed as its UTF-8 bytes', async () => {
    const { privateKeyId, publicKey } = keyOf('CURVE_P256');
    const payload = 'Grüße \u{1f511}';
    const digest = digests.HASH_FUNCTION_SHA256(Buffer.from(payload));
    expect(
      verifies('CURVE_P256', publicKey, digest, await root.result('signRawPayload', signParams(privateKeyId, payload))),
    ).toBe(true);
  });

  test.each(['spec', 'turnkey'] as const)('signatures are deterministic, and v recovers the address (%s)', async (dialect) => {
    const caller = root.with({ dialect });
    const { addresses } = await createWallet(caller);
    const [address = ''] = addresses;
    const params = { signWith: address, payload: MESSAGE, encoding: encodings[1], hashFunction: 'HASH_FUNCTION_KECCAK256' };
    const signature = await caller.result('signRawPayload', params);
    expect(await caller.result('signRawPayload', { ...params, signWith: address.toLowerCase() })).toEqual(signature);
    const digest = digests.HASH_FUNCTION_KECCAK256(Buffer.from(MESSAGE));
    const parsed = secp256k1.Signature.fromHex(signature.r + signature.s).addRecoveryBit(Number.parseInt(signature.v, 16));
    const publicKey = parsed.recoverPublicKey(digest).toBytes(true);
    expect(oracles.ADDRESS_FORMAT_ETHEREUM(publicKey, 'CURVE_SECP256K1')).toBe(address);
  });

  test('an account can be named by its id too, and the intent says which key signed', async () => {
    const { walletId, addresses } = await createWallet(root);
    const { accounts } = await root.data('listWalletAccounts', { walletId });
    const intentOf = (answer: Answer) => answer.body.activity.result.activity.intent.signRawPayloadIntent.privateKeyId;
    const id = accounts[0].walletAccountId;
    for (const signWith of [id, addresses[0]]) {
      expect(intentOf(await root.submit('signRawPayload', signParams(signWith as string)))).toBe(id);
    }
    const answer = await root.submit('signRawPayload', signParams(walletId));
    expect(errorOf(answer)).toEqual({ status: 404, code: 'SIGN_WITH_NOT_FOUND', fields: ['signWith'] });
  });

  test('the first version names a private key, on the compatible path', async () => {
    const { signWith: privateKeyId, ...message } = signParams(keyOf('CURVE_P256').privateKeyId);
    const params = { privateKeyId, ...message };
    const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD';
    const { status, body } = await root.with({ dialect: 'turnkey' }).submit('signRawPayload', params, { type });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.activity.intent).toEqual({ signRawPayloadIntent: params });
    expect(Object.keys(body.activity.result)).toEqual(['signRawPayloadResult']);
    expect(errorOf(await root.submit('signRawPayload', params, { type }))).toMatchObject({ code: 'TYPE_MISMATCH' });
  });

  test('D47: a planted index entry leads to no other key, and near misses of an id or address are unknown', async () => {
    const account = { ...ethereumAccount(0), addressFormat: 'ADDRESS_FORMAT_COMPRESSED' };
    const twin = { ...account, path: "m/44'/60'/0'/0/1" };
    const { walletId } = await root.result('createWallet', { walletName: uniqueName('Wallet'), accounts: [account, twin] });
    const { accounts } = await root.data('listWalletAccounts', { walletId });
    const [{ walletAccountId, address }] = accounts;
    await root.result('signRawPayload', signParams(address));
    // The index is not trusted: with a second entry for the address, the key that really has the address must still sign.
    await subject().raw.run(
      "INSERT INTO lookups (organization_id, kind, value, id) SELECT organization_id, kind, value, ? FROM lookups WHERE id = ? AND kind = 'address'",
      accounts[1].walletAccountId,
      walletAccountId,
    );
    await createPrivateKey(root);
    const { body } = await root.submit('signRawPayload', signParams(address));
    expect(body.activity.result.activity.intent.signRawPayloadIntent.privateKeyId).toBe(walletAccountId);
    for (const signWith of [walletAccountId.toUpperCase(), ` ${walletAccountId}`, `${walletAccountId}0`, madeUpId(), '0x', '*']) {
      expect(errorOf(await root.submit('signRawPayload', signParams(signWith))), signWith).toMatchObject({
        code: 'SIGN_WITH_NOT_FOUND',
      });
    }
  });

  test('a taproot address signs by BIP-340 with its tweaked key', async () => {
    const formats = ['ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR'];
    const privateKeyId = await createPrivateKey(root, 'CURVE_SECP256K1', formats);
    const { privateKey } = await root.data('getPrivateKey', { privateKeyId });
    const [{ address }] = privateKey.addresses;
    const params = { signWith: address, payload: MESSAGE, encoding: encodings[1], hashFunction: 'HASH_FUNCTION_NO_OP' };
    const { r, s } = await root.result('signRawPayload', params);
    const [, ...words] = bech32m.decode(address).words;
    expect(schnorr.verify(Buffer.from(r + s, 'hex'), Buffer.from(MESSAGE), bech32m.fromWords(words))).toBe(true);
  });

  describe('sign_raw_payloads', () => {
    test.each(curves)('gives one signature of %s for each payload, in order', async (curve) => {
      const { privateKeyId, publicKey } = keyOf(curve);
      const payloads = Array.from({ length: 25 }, (_, index) => `Payload number ${index}`);
      const hashFunction = curve === 'CURVE_ED25519' ? 'HASH_FUNCTION_NOT_APPLICABLE' : 'HASH_FUNCTION_SHA256';
      const params = { signWith: privateKeyId, payloads, encoding: encodings[1], hashFunction };
      const { signatures } = await root.result('signRawPayloads', params);
      expect(signatures).toHaveLength(payloads.length);
      for (const [index, payload] of payloads.entries()) {
        expect(verifies(curve, publicKey, digests[hashFunction](Buffer.from(payload)), signatures[index]), payload).toBe(true);
      }
    });

    test('D359: typed messages are rejected unread: each of a thousand would be parsed and hashed', async () => {
      const signWith = keyOf('CURVE_SECP256K1').privateKeyId;
      const params = { signWith, payloads: Array(1_000).fill('not JSON'), hashFunction: 'HASH_FUNCTION_NO_OP' };
      const caller = root.with({ dialect: 'turnkey' });
      for (const encoding of ['PAYLOAD_ENCODING_EIP712', 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'])
        expect(errorOf(await caller.submit('signRawPayloads', { ...params, encoding }))).toMatchObject({ fields: ['encoding'] });
    });

    test('D359: a long body is signed with Keccak-256, under a stamp over Keccak-256', async () => {
      const { privateKeyId: signWith, publicKey } = keyOf('CURVE_SECP256K1');
      const { userId } = await root.data('whoami');
      const key = newApiKey('SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191');
      await root.result('createApiKeys', { userId, apiKeys: [apiKeyParams(key)] });
      const payload = 'x'.repeat(500_000);
      const params = { signWith, payload, encoding: encodings[1], hashFunction: 'HASH_FUNCTION_KECCAK256' };
      const signature = await root.with({ key }).result('signRawPayload', params);
      expect(verifies('CURVE_SECP256K1', publicKey, digests.HASH_FUNCTION_KECCAK256(Buffer.from(payload)), signature)).toBe(true);
    });

    test('signs nothing if one payload does not fit, and names that payload', async () => {
      const params = {
        signWith: keyOf('CURVE_P256').privateKeyId,
        payloads: ['ab', 'abc'],
        encoding: encodings[0],
        hashFunction: 'HASH_FUNCTION_SHA256',
      };
      expect(errorOf(await root.submit('signRawPayloads', params))).toEqual({
        status: 400,
        code: 'PAYLOAD_INVALID',
        fields: ['payloads.1'],
      });
      expect(errorOf(await root.submit('signRawPayloads', { ...params, payloads: [] }))).toMatchObject({ fields: ['payloads'] });
    });
  });
});
