import { inspect } from 'node:util';
import { type Curve, curves, type RawSignature, type SigningRequest } from '@countersign/chains';
import { describe, expect, test } from 'vitest';
import { purposes, unseal } from '../../src/vault/envelope.ts';
import { SignatureError, VaultError } from '../../src/vault/errors.ts';
import { Keyring } from '../../src/vault/keyring.ts';
import { Secret, SecretCache } from '../../src/vault/keys/secret.ts';
import { fileRootKey } from '../../src/vault/root-key/providers/file.ts';
import { RootKeyring } from '../../src/vault/root-key/root-keyring.ts';
import type { Vault } from '../../src/vault/vault.ts';
import { Installation, toHex } from './support.ts';

const digest = new Uint8Array(32).fill(1);
const requestOn = (curve: Curve): SigningRequest =>
  curve === 'CURVE_ED25519' ? { kind: 'ed25519', message: digest } : { kind: 'ecdsa', digest };

async function start(options = {}) {
  const installation = await Installation.create();
  const vault = await installation.open(options);
  for (const organizationId of ['org-1', 'org-2']) await installation.addOrganization(vault, organizationId);
  return { installation, vault };
}

async function addKey(
  installation: Installation,
  vault: Vault,
  organizationId: string,
  id: string,
  curve: Curve = 'CURVE_SECP256K1',
) {
  const { publicKey, ciphertext } = await vault.keys.generatePrivateKey(organizationId, id, curve);
  await installation.putSecret(organizationId, id, ciphertext);
  const request = requestOn(curve);
  return {
    publicKey,
    ciphertext,
    sign: async (by: Vault, key = publicKey) => by.keys.sign(organizationId, { kind: 'privateKey', id, curve }, key, [request]),
  };
}

describe('D62: write access to the database', () => {
  test('an altered ciphertext is refused, and other keys keep working', async () => {
    const { installation, vault } = await start();
    const [a, b] = [await addKey(installation, vault, 'org-1', 'a'), await addKey(installation, vault, 'org-1', 'b')];
    const altered = a.ciphertext.slice();
    altered[40] = (altered[40] as number) ^ 1;
    installation.tamper('UPDATE secrets SET ciphertext = ? WHERE id = ?', altered, 'a');
    await expect(a.sign(vault)).rejects.toThrow('not authentic');
    await expect(b.sign(vault)).resolves.toHaveLength(1);
  });

  test('ciphertexts swapped between keys and organizations are refused', async () => {
    const { installation, vault } = await start();
    const [a, b] = [await addKey(installation, vault, 'org-1', 'a'), await addKey(installation, vault, 'org-1', 'b')];
    const c = await addKey(installation, vault, 'org-2', 'a');
    installation.tamper("UPDATE secrets SET ciphertext = ? WHERE organization_id = 'org-1' AND id = 'a'", b.ciphertext);
    await expect(a.sign(vault, b.publicKey)).rejects.toThrow(VaultError);
    installation.tamper("UPDATE secrets SET ciphertext = ? WHERE organization_id = 'org-1' AND id = 'a'", c.ciphertext);
    await expect(a.sign(vault, c.publicKey)).rejects.toThrow(VaultError);
    installation.tamper("UPDATE secrets SET ciphertext = ? WHERE organization_id = 'org-1' AND id = 'a'", a.ciphertext);
    await expect(a.sign(vault)).resolves.toHaveLength(1);
  });

  test('a private key is not used as another curve, nor a wallet as a private key', async () => {
    const { installation, vault } = await start();
    const { publicKey } = await addKey(installation, vault, 'org-1', 'a', 'CURVE_SECP256K1');
    const request = { kind: 'ecdsa', digest } as const;
    await expect(
      vault.keys.sign('org-1', { kind: 'privateKey', id: 'a', curve: 'CURVE_P256' }, publicKey, [request]),
    ).rejects.toThrow(VaultError);
    const account = { kind: 'account', id: 'x', walletId: 'a', curve: 'CURVE_SECP256K1', path: 'm' } as const;
    await expect(vault.keys.sign('org-1', account, publicKey, [request])).rejects.toThrow(VaultError);
    await expect(vault.keys.deriveAccounts('org-1', 'a', [{ curve: 'CURVE_SECP256K1', path: 'm' }])).rejects.toThrow(VaultError);
  });

  test('data keys swapped between organizations are refused', async () => {
    const { installation, vault } = await start();
    const { sign } = await addKey(installation, vault, 'org-1', 'a');
    installation.tamper(
      "UPDATE data_keys SET wrapped = (SELECT wrapped FROM data_keys WHERE organization_id = 'org-2') WHERE organization_id = 'org-1'",
    );
    await expect(sign(await installation.open())).rejects.toThrow('data key of organization org-1');
  });

  test('a stored public key that does not belong to the private key is refused', async () => {
    const { installation, vault } = await start();
    const [a, b] = [await addKey(installation, vault, 'org-1', 'a'), await addKey(installation, vault, 'org-1', 'b')];
    await expect(a.sign(vault, b.publicKey)).rejects.toThrow(SignatureError);
    await a.sign(vault);
    await expect(a.sign(vault, b.publicKey)).rejects.toThrow(SignatureError);
    await expect(a.sign(vault, a.publicKey.subarray(1))).rejects.toThrow(SignatureError);
  });

  test('a new data key that lost a race against a stored one seals nothing', async () => {
    const { installation, vault } = await start();
    await vault.service.createDataKey('org-1');
    const { sign } = await addKey(installation, vault, 'org-1', 'a');
    await expect(sign(await installation.open())).resolves.toHaveLength(1);
  });

  test('an organization without a data key is refused', async () => {
    const { vault } = await start();
    await expect(vault.keys.generatePrivateKey('org-3', 'a', 'CURVE_P256')).rejects.toThrow('has no data key');
  });
});

describe('D64: a fault in the signer', () => {
  const flipped = (at: number) => ({
    onSigned({ bytes }: RawSignature) {
      bytes[at] = (bytes[at] as number) ^ 0x10;
    },
  });

  test.each(curves)('%s: a flipped bit is detected, and nothing is released', async (curve) => {
    for (const at of [0, 31, 32, 63]) {
      const { installation, vault } = await start(flipped(at));
      const { sign } = await addKey(installation, vault, 'org-1', 'a', curve);
      const fault = await sign(vault).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(SignatureError);
      expect(fault).toMatchObject({ organizationId: 'org-1', keyId: 'a' });
    }
  });

  test('faults in Schnorr signatures, tweaked or not, and in the recovery bit are detected too', async () => {
    const { installation, vault } = await start(flipped(50));
    const { publicKey } = await addKey(installation, vault, 'org-1', 'a');
    const reference = { kind: 'privateKey', id: 'a', curve: 'CURVE_SECP256K1' } as const;
    for (const tapTweak of [undefined, new Uint8Array(0), new Uint8Array(32)]) {
      const request = { kind: 'schnorr', digest, ...(tapTweak && { tapTweak }) } as const;
      await expect(vault.keys.sign('org-1', reference, publicKey, [request])).rejects.toThrow(SignatureError);
    }
    const twisted = await installation.open({
      onSigned: (signature: RawSignature) => Object.assign(signature, { recovery: 1 - signature.recovery }),
    });
    await expect(twisted.keys.sign('org-1', reference, publicKey, [{ kind: 'ecdsa', digest }])).rejects.toThrow(SignatureError);
  });

  test('one bad signature in the last part of a long batch releases nothing of it', async () => {
    let signed = 0;
    const { installation, vault } = await start({
      onSigned({ bytes }: RawSignature) {
        if (++signed === 40) bytes[33] = (bytes[33] as number) ^ 1;
      },
    });
    const { publicKey } = await addKey(installation, vault, 'org-1', 'a');
    const requests = Array.from({ length: 40 }, () => ({ kind: 'ecdsa', digest }) as const);
    const reference = { kind: 'privateKey', id: 'a', curve: 'CURVE_SECP256K1' } as const;
    await expect(vault.keys.sign('org-1', reference, publicKey, requests)).rejects.toThrow(SignatureError);
  });

  test('one bad signature in a batch releases nothing of the batch, and the key is loaded again', async () => {
    let signed = 0;
    const { installation, vault } = await start({
      onSigned({ bytes }: RawSignature) {
        if (++signed === 3) bytes[5] = (bytes[5] as number) ^ 1;
      },
    });
    const { publicKey, sign } = await addKey(installation, vault, 'org-1', 'a');
    const requests = Array.from({ length: 5 }, () => ({ kind: 'ecdsa', digest }) as const);
    const reference = { kind: 'privateKey', id: 'a', curve: 'CURVE_SECP256K1' } as const;
    await expect(vault.keys.sign('org-1', reference, publicKey, requests)).rejects.toThrow(SignatureError);
    expect(signed).toBe(requests.length);
    await expect(sign(vault)).resolves.toHaveLength(1);
  });
});

describe('D61: secrets stay out of texts', () => {
  test('a secret is not shown in JSON, when inspected or when printed', () => {
    const secret = new Secret(new Uint8Array([1, 2, 3]));
    const holder = { secret, list: [secret] };
    expect(JSON.stringify(holder)).toBe('{"secret":"[secret]","list":["[secret]"]}');
    expect(inspect(holder, { depth: 9, showHidden: true })).toBe('{ secret: [secret], list: [ [secret], [length]: 1 ] }');
    expect(`${secret}`).toBe('[secret]');
    secret.wipe();
    expect(() => secret.bytes).toThrow('wiped');
  });

  test('no key in use appears in any vault object or error, in any encoding', async () => {
    const { installation, vault } = await start();
    const keys = await Promise.all(curves.map((curve) => addKey(installation, vault, 'org-1', curve, curve)));
    for (const { sign } of keys) await sign(vault);
    const rootKeys = new RootKeyring(fileRootKey(installation.rootKeyFile));
    const rootKey = await rootKeys.get(vault.facts.rootKeyId);
    const keyring = new Keyring(installation.store.vault, rootKeys, async () => rootKey.id, 10);
    const secrets: Uint8Array[] = [];
    await keyring.use('org-1', (dataKey) => {
      secrets.push(dataKey.bytes.slice());
      for (const [i, curve] of curves.entries()) {
        const binding = { organizationId: 'org-1', id: curve, purpose: purposes[curve] };
        secrets.push(unseal(dataKey, keys[i]?.ciphertext as Uint8Array, binding).bytes.slice());
      }
    });
    const cache = new SecretCache<Secret>(3);
    cache.set('key', new Secret((secrets[1] as Uint8Array).slice()));

    const errors: unknown[] = [];
    for (const failing of [
      async () =>
        vault.keys.sign('org-1', { kind: 'privateKey', id: curves[0], curve: curves[0] }, new Uint8Array(33), [
          requestOn(curves[0]),
        ]),
      async () =>
        vault.keys.sign('org-1', { kind: 'privateKey', id: curves[0], curve: curves[0] }, keys[0]?.publicKey as Uint8Array, [
          { kind: 'ed25519', message: digest },
        ]),
      async () =>
        vault.keys.sign('org-1', { kind: 'privateKey', id: 'none', curve: curves[0] }, new Uint8Array(33), [
          requestOn(curves[0]),
        ]),
      () => vault.keys.generateWallet('org-1', 'w', 1, []),
    ]) {
      await failing().catch((error: unknown) => errors.push(error));
    }
    expect(errors).toHaveLength(4);

    const objects = [
      vault,
      vault.integrity,
      vault.facts,
      rootKeys,
      rootKey,
      keyring,
      cache,
      fileRootKey(installation.rootKeyFile),
      ...errors,
    ];
    const text = objects
      .map((object) => `${JSON.stringify(object)} ${inspect(object, { depth: 20, showHidden: true, getters: true })}`)
      .join('\n');
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      const spellings = [
        toHex(secret),
        bytes.toString('base64'),
        bytes.toString('base64url'),
        [...secret.subarray(0, 8)].join(', '),
        bytes
          .subarray(0, 8)
          .toString('hex')
          .replace(/..(?=.)/g, '$& '),
      ];
      for (const spelling of spellings) expect(text).not.toContain(spelling);
    }
  });
});
