import { createHash } from 'node:crypto';
import { type Curve, curves, deriveKey, type SigningRequest } from '@countersign/chains';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { purposes, unseal } from '../../src/vault/envelope.ts';
import { SignatureError, VaultError } from '../../src/vault/errors.ts';
import { Keyring } from '../../src/vault/keyring.ts';
import { seedWithin } from '../../src/vault/keys/wallet-secret.ts';
import { fileRootKey } from '../../src/vault/root-key/providers/file.ts';
import { RootKeyring } from '../../src/vault/root-key/root-keyring.ts';
import type { KeyReference, Vault } from '../../src/vault/vault.ts';
import { Installation, toHex } from './support.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();
const requestOn = (curve: Curve, text = 'message'): SigningRequest =>
  curve === 'CURVE_ED25519' ? { kind: 'ed25519', message: Buffer.from(text) } : { kind: 'ecdsa', digest: digest(text) };

const oracles = {
  CURVE_SECP256K1: (bytes: Uint8Array, publicKey: Uint8Array) =>
    secp256k1.verify(bytes, digest('message'), publicKey, { prehash: false }),
  CURVE_P256: (bytes: Uint8Array, publicKey: Uint8Array) =>
    p256.verify(bytes, digest('message'), publicKey, { prehash: false, lowS: true }),
  CURVE_ED25519: (bytes: Uint8Array, publicKey: Uint8Array) => ed25519.verify(bytes, Buffer.from('message'), publicKey),
};

async function addPrivateKey(installation: Installation, vault: Vault, organizationId: string, id: string, curve: Curve) {
  const { publicKey, ciphertext } = await vault.keys.generatePrivateKey(organizationId, id, curve);
  await installation.putSecret(organizationId, id, ciphertext);
  return { publicKey, reference: { kind: 'privateKey', id, curve } satisfies KeyReference };
}

async function start(options = {}) {
  const installation = await Installation.create();
  const vault = await installation.open(options);
  await installation.addOrganization(vault, 'org');
  return { installation, vault };
}

describe('private keys', () => {
  test.each(curves)('%s: a generated key signs, also after a restart', async (curve) => {
    const { installation, vault } = await start();
    const { publicKey, reference } = await addPrivateKey(installation, vault, 'org', 'key', curve);
    const [first] = await vault.keys.sign('org', reference, publicKey, [requestOn(curve)]);
    expect(oracles[curve](first?.bytes as Uint8Array, publicKey)).toBe(true);
    vault.close();
    const reopened = await installation.open();
    const [second] = await reopened.keys.sign('org', reference, publicKey, [requestOn(curve)]);
    expect(toHex(second?.bytes as Uint8Array)).toBe(toHex(first?.bytes as Uint8Array));
  });

  test('a batch is signed in order, and a long batch yields to others', async () => {
    const { installation, vault } = await start();
    const { publicKey, reference } = await addPrivateKey(installation, vault, 'org', 'key', 'CURVE_SECP256K1');
    const texts = Array.from({ length: 1000 }, (_, i) => `message ${i}`);
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const signatures = await vault.keys.sign(
      'org',
      reference,
      publicKey,
      texts.map((text) => requestOn('CURVE_SECP256K1', text)),
    );
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(2);
    expect(signatures).toHaveLength(1000);
    const [single] = await vault.keys.sign('org', reference, publicKey, [requestOn('CURVE_SECP256K1', 'message 999')]);
    expect(signatures[999]).toEqual(single);
    expect(await vault.keys.sign('org', reference, publicKey, [])).toEqual([]);
  });

  test('BIP-340 signatures, tweaked and not', async () => {
    const { installation, vault } = await start();
    const { publicKey, reference } = await addPrivateKey(installation, vault, 'org', 'key', 'CURVE_SECP256K1');
    const requests = [
      { kind: 'schnorr', digest: digest('message') },
      { kind: 'schnorr', digest: digest('message'), tapTweak: new Uint8Array(0) },
    ] as const;
    const [plain, tweaked] = await vault.keys.sign('org', reference, publicKey, requests);
    const internal = publicKey.subarray(1);
    const tweak = BigInt(`0x${toHex(schnorr.utils.taggedHash('TapTweak', internal))}`);
    const output = schnorr.utils.lift_x(BigInt(`0x${toHex(internal)}`)).add(secp256k1.Point.BASE.multiply(tweak));
    expect(schnorr.verify(plain?.bytes as Uint8Array, digest('message'), internal)).toBe(true);
    expect(schnorr.verify(tweaked?.bytes as Uint8Array, digest('message'), schnorr.utils.pointToBytes(output))).toBe(true);
  });

  test('the JavaScript engine gives the same signatures', async () => {
    const { installation, vault } = await start();
    const { publicKey, reference } = await addPrivateKey(installation, vault, 'org', 'key', 'CURVE_SECP256K1');
    const slow = await installation.open({ secp256k1: 'javascript' });
    expect(slow.facts).toMatchObject({ signer: 'javascript', warnings: [expect.stringContaining('slower')] });
    expect(vault.facts).toMatchObject({
      signer: expect.stringMatching(/^(system|package)$/),
      warnings: [],
      rootKeySource: expect.stringContaining('root.key'),
    });
    const requests = ['a', 'b', 'c'].map((text) => requestOn('CURVE_SECP256K1', text));
    const signatures = await vault.keys.sign('org', reference, publicKey, requests);
    expect(await slow.keys.sign('org', reference, publicKey, requests)).toEqual(signatures);
  });
});

describe('wallets', () => {
  const accounts = [
    { curve: 'CURVE_SECP256K1', path: "m/44'/60'/0'/0/0" },
    { curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'" },
    { curve: 'CURVE_P256', path: "m/44'/1'/0'/0/0" },
  ] as const;

  test.each([12, 15, 18, 21, 24])('%i words: accounts on every curve derive, sign and derive again', async (words) => {
    const { installation, vault } = await start();
    const { ciphertext, publicKeys } = await vault.keys.generateWallet('org', 'wallet', words, accounts);
    await installation.putSecret('org', 'wallet', ciphertext);
    expect((await vault.keys.deriveAccounts('org', 'wallet', accounts)).map(toHex)).toEqual(publicKeys.map(toHex));
    for (const [i, { curve, path }] of accounts.entries()) {
      const reference: KeyReference = { kind: 'account', id: `account-${i}`, walletId: 'wallet', curve, path };
      const publicKey = publicKeys[i] as Uint8Array;
      const [signature] = await vault.keys.sign('org', reference, publicKey, [requestOn(curve)]);
      expect(oracles[curve](signature?.bytes as Uint8Array, publicKey)).toBe(true);
    }
  });

  test('the sealed seed gives the same keys in the pure derivation', async () => {
    const { installation, vault } = await start();
    const { ciphertext, publicKeys } = await vault.keys.generateWallet('org', 'wallet', 12, accounts);
    const rootKeys = new RootKeyring(fileRootKey(installation.rootKeyFile));
    const keyring = new Keyring(installation.store.vault, rootKeys, async () => vault.facts.rootKeyId, 10);
    await keyring.use('org', (dataKey) => {
      const secret = unseal(dataKey, ciphertext, { organizationId: 'org', id: 'wallet', purpose: purposes.WALLET });
      const derived = accounts.map((account) => toHex(deriveKey({ seed: seedWithin(secret), ...account }).publicKey));
      expect(derived).toEqual(publicKeys.map(toHex));
    });
  });

  test('another number of words and a path that the curve does not support are refused', async () => {
    const { vault } = await start();
    await expect(vault.keys.generateWallet('org', 'wallet', 13, [])).rejects.toThrow(RangeError);
    const account = { curve: 'CURVE_ED25519', path: "m/44'/501'/0" } as const;
    await expect(vault.keys.generateWallet('org', 'wallet', 12, [account])).rejects.toMatchObject({ code: 'INVALID_PATH' });
  });

  test('an account is identified by wallet, curve and path, not by its id alone', async () => {
    const { installation, vault } = await start();
    const wallet = await vault.keys.generateWallet('org', 'wallet', 12, accounts);
    const other = await vault.keys.generateWallet('org', 'other', 12, accounts);
    await installation.putSecret('org', 'wallet', wallet.ciphertext);
    await installation.putSecret('org', 'other', other.ciphertext);
    const reference = { kind: 'account', id: 'account', walletId: 'wallet', ...accounts[0] } as const;
    const publicKey = wallet.publicKeys[0] as Uint8Array;
    const request = requestOn('CURVE_SECP256K1');
    await vault.keys.sign('org', reference, publicKey, [request]);
    const pretenders: KeyReference[] = [
      { ...reference, walletId: 'other' },
      { ...reference, path: "m/44'/60'/0'/0/1" },
      { ...reference, curve: 'CURVE_P256' },
      { kind: 'privateKey', id: 'account', curve: 'CURVE_SECP256K1' },
    ];
    for (const pretender of pretenders) {
      await expect(vault.keys.sign('org', pretender, publicKey, [request])).rejects.toThrow(SignatureError);
      await expect(vault.keys.sign('org', pretender, publicKey, [request, request])).rejects.toThrow(SignatureError);
    }
  });
});

describe('the cache of plain keys', () => {
  test('with room for one key, many keys sign concurrently', async () => {
    const { installation, vault } = await start({ maxKeys: 1, maxDataKeys: 1 });
    await installation.addOrganization(vault, 'org-2');
    const keys = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        addPrivateKey(installation, vault, i % 2 === 0 ? 'org' : 'org-2', `key-${i}`, curves[i % 3] as Curve),
      ),
    );
    const signing = [...keys, ...keys, ...keys].map(async ({ publicKey, reference }, i) => {
      const [signature] = await vault.keys.sign(i % 2 === 0 ? 'org' : 'org-2', reference, publicKey, [
        requestOn(reference.curve),
      ]);
      return oracles[reference.curve](signature?.bytes as Uint8Array, publicKey);
    });
    expect(await Promise.all(signing)).toEqual(Array(36).fill(true));
  });

  test('a forgotten key is read again, so a key without its secret no longer signs', async () => {
    const { installation, vault } = await start();
    const { publicKey, reference } = await addPrivateKey(installation, vault, 'org', 'key', 'CURVE_SECP256K1');
    const sign = async () => vault.keys.sign('org', reference, publicKey, [requestOn('CURVE_SECP256K1')]);
    await sign();
    installation.tamper('DELETE FROM secrets');
    await expect(sign()).resolves.toHaveLength(1);
    vault.forget('org', 'key');
    await expect(sign()).rejects.toThrow('missing');
  });

  test('forgetting a wallet forgets its accounts, and those of no other organization', async () => {
    const { installation, vault } = await start();
    await installation.addOrganization(vault, 'org-2');
    const account = { curve: 'CURVE_SECP256K1', path: 'm/0' } as const;
    const signers = [];
    for (const organizationId of ['org', 'org-2']) {
      const { ciphertext, publicKeys } = await vault.keys.generateWallet(organizationId, 'wallet', 12, [account]);
      await installation.putSecret(organizationId, 'wallet', ciphertext);
      const reference = { kind: 'account', id: 'account', walletId: 'wallet', ...account } as const;
      const sign = async () =>
        vault.keys.sign(organizationId, reference, publicKeys[0] as Uint8Array, [requestOn('CURVE_SECP256K1')]);
      await sign();
      signers.push(sign);
    }
    installation.tamper('DELETE FROM secrets');
    vault.forget('org', 'wallet');
    await expect(signers[0]?.()).rejects.toThrow(VaultError);
    await expect(signers[1]?.()).resolves.toHaveLength(1);
  });

  test('a closed vault refuses everything', async () => {
    const { installation, vault } = await start();
    const { publicKey, reference } = await addPrivateKey(installation, vault, 'org', 'key', 'CURVE_SECP256K1');
    const request = requestOn('CURVE_SECP256K1');
    await vault.keys.sign('org', reference, publicKey, [request]);
    vault.close();
    await expect(vault.keys.sign('org', reference, publicKey, [request])).rejects.toThrow('closed');
    await expect(vault.service.createDataKey('org-2')).rejects.toThrow('closed');
    await expect(vault.keys.generatePrivateKey('org', 'key-2', 'CURVE_P256')).rejects.toThrow('closed');
    await expect(vault.keys.generateWallet('org', 'wallet', 12, [])).rejects.toThrow('closed');
    await expect(vault.keys.deriveAccounts('org', 'wallet', [])).rejects.toThrow('closed');
    expect(() => vault.integrity.head('org', 1, 0n, 0n)).toThrow('wiped');
  });
});
