import {
  CountersignError,
  fetchServiceKeys,
  generateTargetKey,
  openCredentialBundle,
  openExportBundle,
  readPrivateKey,
  sealImportBundle,
  writePrivateKey,
} from '@countersign/client';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { hpkeOpen, hpkeSeal, type KeyPair, newKeyPair } from '../../server/test/vault/bundle-client.ts';
import { startWire } from './wire-server.ts';

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const signer = newKeyPair();
const signerPublicKey = toHex(signer.publicKey);
const organizationId = '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f60';
const userId = '01981b2c-7d3e-7f40-8a51-6b2c3d4e5f61';

/** Signed data of a service. */
function signed(data: object, { privateKey, publicKey }: KeyPair = signer): string {
  const bytes = Buffer.from(JSON.stringify(data));
  const dataSignature = toHex(p256.sign(bytes, privateKey, { format: 'der' }));
  return JSON.stringify({ version: 'v1.0.0', data: toHex(bytes), dataSignature, enclaveQuorumPublic: toHex(publicKey) });
}

function exported(targetPublicKey: string, plaintext: Uint8Array, more: object = {}, by?: KeyPair): string {
  const { encappedPublic, ciphertext } = hpkeSeal(Buffer.from(targetPublicKey, 'hex'), plaintext);
  return signed({ encappedPublic: toHex(encappedPublic), ciphertext: toHex(ciphertext), organizationId, ...more }, by);
}

const invalid = expect.objectContaining({ name: 'CountersignError', code: 'BUNDLE_INVALID' });

describe('openCredentialBundle', () => {
  const bundleOf = (targetPublicKey: string, privateKey: Uint8Array) => {
    const { encappedPublic, ciphertext } = hpkeSeal(Buffer.from(targetPublicKey, 'hex'), privateKey);
    const compressed = p256.Point.fromBytes(encappedPublic).toBytes(true);
    return createBase58check(sha256).encode(Buffer.concat([compressed, ciphertext]));
  };

  test('returns an API key with matching halves', async () => {
    const { targetPublicKey, targetPrivateKey } = generateTargetKey();
    const issued = newKeyPair();
    expect(await openCredentialBundle(bundleOf(targetPublicKey, issued.privateKey), targetPrivateKey)).toEqual({
      apiPublicKey: toHex(p256.getPublicKey(issued.privateKey, true)),
      apiPrivateKey: toHex(issued.privateKey),
      curveType: 'API_KEY_CURVE_P256',
    });
  });

  test('rejects a bundle for another key, and invalid bundles', async () => {
    const { targetPublicKey } = generateTargetKey();
    const { targetPrivateKey } = generateTargetKey();
    for (const bundle of [bundleOf(targetPublicKey, newKeyPair().privateKey), 'nonsense', '', base58.encode(new Uint8Array(85))])
      await expect(openCredentialBundle(bundle, targetPrivateKey)).rejects.toEqual(invalid);
  });
});

describe('openExportBundle', () => {
  const plaintext = Buffer.from('abandon about');

  test('returns the plaintext', async () => {
    const { targetPublicKey, targetPrivateKey } = generateTargetKey();
    const exportBundle = exported(targetPublicKey, plaintext);
    const opened = await openExportBundle({ exportBundle, organizationId, targetPrivateKey, signerPublicKey });
    expect(Buffer.from(opened).toString()).toBe('abandon about');
  });

  test('rejects another signer, organization or target, and altered or invalid text', async () => {
    const { targetPublicKey, targetPrivateKey } = generateTargetKey();
    const honest = exported(targetPublicKey, plaintext);
    const { data, dataSignature, ...rest } = JSON.parse(honest);
    const bundles = [
      exported(targetPublicKey, plaintext, {}, newKeyPair()),
      exported(targetPublicKey, plaintext, { organizationId: userId }),
      exported(generateTargetKey().targetPublicKey, plaintext),
      // A signature of another key that claims to be the right one.
      JSON.stringify({
        ...JSON.parse(exported(targetPublicKey, plaintext, {}, newKeyPair())),
        enclaveQuorumPublic: signerPublicKey,
      }),
      JSON.stringify({ data: `${data.slice(0, -2)}20`, dataSignature, ...rest }),
      JSON.stringify({ data, dataSignature: '00', ...rest }),
      JSON.stringify({ data: 'xy', dataSignature, ...rest }),
      JSON.stringify({ data, dataSignature, ...rest, version: 'v2' }),
      signed([organizationId]),
      signed({ organizationId, encappedPublic: '04', ciphertext: '00' }),
      '[]',
      'nonsense',
    ];
    for (const exportBundle of bundles)
      await expect(openExportBundle({ exportBundle, organizationId, targetPrivateKey, signerPublicKey })).rejects.toEqual(
        invalid,
      );
  });
});

describe('sealImportBundle', () => {
  const target = newKeyPair();
  const data = { targetPublic: toHex(target.publicKey), organizationId, userId };
  const plaintext = new Uint8Array(32).fill(7);

  test('encrypts to the target', async () => {
    const sealed = await sealImportBundle({ importBundle: signed(data), organizationId, userId, signerPublicKey, plaintext });
    const { encappedPublic, ciphertext, ...others } = JSON.parse(sealed);
    expect(others).toEqual({});
    expect(encappedPublic).toMatch(/^04[0-9a-f]{128}$/);
    expect(toHex(hpkeOpen(target, Buffer.from(encappedPublic, 'hex'), Buffer.from(ciphertext, 'hex')))).toBe(toHex(plaintext));
  });

  test('rejects a target of another user, organization or signer', async () => {
    for (const importBundle of [
      signed({ ...data, userId: organizationId }),
      signed({ ...data, organizationId: userId }),
      signed(data, newKeyPair()),
    ]) {
      const options = { importBundle, organizationId, userId, signerPublicKey, plaintext };
      await expect(sealImportBundle(options)).rejects.toEqual(invalid);
    }
  });
});

describe('fetchServiceKeys', () => {
  const keys = { signer: signerPublicKey, sessionNotarizer: signerPublicKey, verificationTokenSigner: signerPublicKey };

  test('returns the published keys', async () => {
    await using wire = await startWire(() => ({ status: 200, body: keys }));
    expect(await fetchServiceKeys(`${wire.url}/`)).toEqual(keys);
    expect(wire.arrived).toMatchObject([{ method: 'GET', path: '/.well-known/countersign-keys' }]);
  });

  test('rejects invalid keys and reports a missing response', async () => {
    for (const answer of [
      { status: 200, body: { ...keys, signer: '04' } },
      { status: 404, body: keys },
      { status: 200, body: {} },
    ]) {
      await using wire = await startWire(() => answer);
      await expect(fetchServiceKeys(wire.url)).rejects.toMatchObject({ code: 'RESPONSE_INVALID' });
    }
    await using wire = await startWire(() => 'drop');
    await expect(fetchServiceKeys(wire.url)).rejects.toBeInstanceOf(CountersignError);
    await expect(fetchServiceKeys(wire.url)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('private keys as text', () => {
  const privateKey = new Uint8Array(32).fill(3);

  test('hexadecimal, with and without a prefix', () => {
    const hex = writePrivateKey(privateKey, 'hexadecimal');
    for (const text of [hex, `0x${hex}`, ` ${hex.toUpperCase()}\n`]) expect(readPrivateKey(text)).toEqual(privateKey);
  });

  test('both halves in Base58, like Solana wallets', () => {
    const text = writePrivateKey(privateKey, 'solana');
    expect(base58.decode(text)).toEqual(new Uint8Array([...privateKey, ...ed25519.getPublicKey(privateKey)]));
    expect(readPrivateKey(text)).toEqual(privateKey);
  });

  test('rejects mismatched halves, other lengths and other text', () => {
    const halves = base58.encode(new Uint8Array([...privateKey, ...ed25519.getPublicKey(new Uint8Array(32).fill(4))]));
    for (const text of ['', halves, base58.encode(privateKey), '03'.repeat(31), 'not a key 0OIl'])
      expect(readPrivateKey(text)).toBeUndefined();
  });
});
