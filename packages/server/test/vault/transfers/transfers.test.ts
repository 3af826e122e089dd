import { type Curve, curves, deriveKey, mnemonicToSeed } from '@countersign/chains';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, test } from 'vitest';
import { SignatureError, VaultError } from '../../../src/vault/errors.ts';
import { hpkeOpen, hpkeSeal, newKeyPair } from '../bundle-client.ts';
import { Installation, toHex } from '../support.ts';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const MNEMONIC = `${'abandon '.repeat(11)}about`;
const accounts = [
  { curve: 'CURVE_SECP256K1', path: "m/44'/60'/0'/0/0" },
  { curve: 'CURVE_ED25519', path: "m/44'/501'/0'/0'" },
  { curve: 'CURVE_P256', path: "m/44'/60'/0'/0/0" },
] as const;

const publicKeyOf: Readonly<Record<Curve, (privateKey: Uint8Array) => Uint8Array>> = {
  CURVE_SECP256K1: (key) => secp256k1.getPublicKey(key, true),
  CURVE_P256: (key) => p256.getPublicKey(key, true),
  CURVE_ED25519: (key) => ed25519.getPublicKey(key),
};

async function start() {
  const installation = await Installation.create();
  const vault = await installation.open();
  await installation.addOrganization(vault, 'org');
  const target = async (id: string, use: 'IMPORT_WALLET' | 'IMPORT_PRIVATE_KEY' | 'MESSAGE', organizationId = 'org') => {
    const { publicKey, ciphertext } = await vault.transfers.createTarget(organizationId, id, use);
    await installation.putSecret(organizationId, id, ciphertext);
    return publicKey;
  };
  return { installation, vault, target };
}

describe('wallets', () => {
  test('a phrase is imported, derives its accounts, and is exported', async () => {
    const { installation, vault, target } = await start();
    const message = hpkeSeal(await target('t', 'IMPORT_WALLET'), utf8(MNEMONIC));
    const imported = await vault.transfers.importWallet('org', 'wallet', ['t'], message, accounts);
    if (imported.outcome !== 'TAKEN') throw new Error(imported.outcome);
    const seed = await mnemonicToSeed(MNEMONIC);
    expect(imported.targetId).toBe('t');
    expect(imported.publicKeys.map(toHex)).toEqual(accounts.map((each) => toHex(deriveKey({ seed, ...each }).publicKey)));
    await installation.putSecret('org', 'wallet', imported.ciphertext);
    expect((await vault.keys.deriveAccounts('org', 'wallet', accounts)).map(toHex)).toEqual(imported.publicKeys.map(toHex));
    const receiver = newKeyPair();
    const { message: out, ownLanguage } = await vault.transfers.exportWallet('org', 'wallet', receiver.publicKey);
    expect(hpkeOpen(receiver, out.encappedPublic, out.ciphertext).toString()).toBe(MNEMONIC);
    expect(ownLanguage).toBe('MNEMONIC_LANGUAGE_ENGLISH');
  });

  test('an account’s key is exported alone', async () => {
    const { installation, vault } = await start();
    const { ciphertext, publicKeys } = await vault.keys.generateWallet('org', 'wallet', 12, accounts);
    await installation.putSecret('org', 'wallet', ciphertext);
    for (const [index, account] of accounts.entries()) {
      const receiver = newKeyPair();
      const reference = { kind: 'account', id: `account-${index}`, walletId: 'wallet', ...account } as const;
      const publicKey = publicKeys[index] as Uint8Array;
      const message = await vault.transfers.exportPrivateKey('org', reference, publicKey, receiver.publicKey);
      const privateKey = hpkeOpen(receiver, message.encappedPublic, message.ciphertext);
      expect(toHex(publicKeyOf[account.curve](privateKey))).toBe(toHex(publicKey));
    }
  });

  test('the right one of several targets is found and named', async () => {
    const { vault, target } = await start();
    await target('t1', 'IMPORT_WALLET');
    const second = await target('t2', 'IMPORT_WALLET');
    const message = hpkeSeal(second, utf8(MNEMONIC));
    expect(await vault.transfers.importWallet('org', 'w', ['t1', 't2'], message, [])).toMatchObject({
      outcome: 'TAKEN',
      targetId: 't2',
    });
    expect(await vault.transfers.importWallet('org', 'w', ['t1'], message, [])).toEqual({ outcome: 'UNREADABLE' });
    expect(await vault.transfers.importWallet('org', 'w', [], message, [])).toEqual({ outcome: 'UNREADABLE' });
  });

  test('anything but a phrase uses up the target', async () => {
    const { vault, target } = await start();
    const message = hpkeSeal(await target('t', 'IMPORT_WALLET'), utf8('not a phrase'));
    expect(await vault.transfers.importWallet('org', 'w', ['t'], message, [])).toEqual({ outcome: 'UNFIT', targetId: 't' });
  });
});

describe('private keys', () => {
  test.each(curves)('a key of %s is imported and exported', async (curve) => {
    const { installation, vault, target } = await start();
    const privateKey = new Uint8Array(32).fill(0x11);
    const message = hpkeSeal(await target('t', 'IMPORT_PRIVATE_KEY'), privateKey);
    const imported = await vault.transfers.importPrivateKey('org', 'key', ['t'], message, curve);
    if (imported.outcome !== 'TAKEN') throw new Error(imported.outcome);
    expect(toHex(imported.publicKey)).toBe(toHex(publicKeyOf[curve](privateKey)));
    await installation.putSecret('org', 'key', imported.ciphertext);
    const receiver = newKeyPair();
    const reference = { kind: 'privateKey', id: 'key', curve } as const;
    const out = await vault.transfers.exportPrivateKey('org', reference, imported.publicKey, receiver.publicKey);
    expect(toHex(hpkeOpen(receiver, out.encappedPublic, out.ciphertext))).toBe(toHex(privateKey));
  });

  const order = { CURVE_SECP256K1: secp256k1.Point.Fn.ORDER, CURVE_P256: p256.Point.Fn.ORDER };
  const bytesOf = (scalar: bigint) => Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex');

  test.each([
    ['CURVE_SECP256K1', 'zero', bytesOf(0n)],
    ['CURVE_SECP256K1', 'the order', bytesOf(order.CURVE_SECP256K1)],
    ['CURVE_P256', 'zero', bytesOf(0n)],
    ['CURVE_P256', 'the order', bytesOf(order.CURVE_P256)],
    ['CURVE_SECP256K1', '31 bytes', new Uint8Array(31).fill(1)],
    ['CURVE_P256', '33 bytes', new Uint8Array(33).fill(1)],
    ['CURVE_ED25519', 'zero', bytesOf(0n)],
    ['CURVE_SECP256K1', 'the largest number', bytesOf(2n ** 256n - 1n)],
    ['CURVE_P256', 'the largest number', bytesOf(2n ** 256n - 1n)],
    ['CURVE_ED25519', '64 bytes', new Uint8Array(64).fill(1)],
    ['CURVE_ED25519', 'nothing', new Uint8Array(0)],
    ['CURVE_SECP256K1', 'hexadecimal text', utf8('11'.repeat(32))],
  ] as const)('D81: on %s, %s is no key, and uses the target up', async (curve, _, plaintext) => {
    const { vault, target } = await start();
    const message = hpkeSeal(await target('t', 'IMPORT_PRIVATE_KEY'), plaintext);
    expect(await vault.transfers.importPrivateKey('org', 'key', ['t'], message, curve)).toEqual({
      outcome: 'UNFIT',
      targetId: 't',
    });
  });

  test('with a public key of another key nothing is exported', async () => {
    const { installation, vault } = await start();
    const { ciphertext } = await vault.keys.generatePrivateKey('org', 'key', 'CURVE_P256');
    await installation.putSecret('org', 'key', ciphertext);
    const { publicKey } = newKeyPair();
    const reference = { kind: 'privateKey', id: 'key', curve: 'CURVE_P256' } as const;
    const other = p256.getPublicKey(new Uint8Array(32).fill(1), true);
    await expect(vault.transfers.exportPrivateKey('org', reference, other, publicKey)).rejects.toThrow(SignatureError);
  });
});

describe('targets', () => {
  test('a target works only for its kind of import', async () => {
    const { vault, target } = await start();
    const message = hpkeSeal(await target('t', 'IMPORT_WALLET'), new Uint8Array(32).fill(1));
    await expect(vault.transfers.importPrivateKey('org', 'key', ['t'], message, 'CURVE_ED25519')).rejects.toThrow(VaultError);
    const { ciphertext } = await vault.transfers.createTarget('org', 't', 'IMPORT_WALLET');
    await expect(vault.transfers.openMessage('org', 't', ciphertext, message)).rejects.toThrow(VaultError);
  });

  test('a target does not open in another organization, even if its row is copied there', async () => {
    const { installation, vault, target } = await start();
    await installation.addOrganization(vault, 'other');
    const message = hpkeSeal(await target('t', 'IMPORT_WALLET'), utf8(MNEMONIC));
    await expect(vault.transfers.importWallet('other', 'w', ['t'], message, [])).rejects.toThrow(VaultError);
    const row = await installation.store.secrets.get('org', 't');
    await installation.putSecret('other', 't', row?.ciphertext as Uint8Array);
    await expect(vault.transfers.importWallet('other', 'w', ['t'], message, [])).rejects.toThrow(VaultError);
  });

  test('a message to the service itself opens, and an altered one does not', async () => {
    const { vault } = await start();
    const { publicKey, ciphertext: sealed } = await vault.transfers.createTarget('org', 't', 'MESSAGE');
    const message = hpkeSeal(publicKey, utf8('{"otp_code":"123456"}'));
    const opened = await vault.transfers.openMessage('org', 't', sealed, message);
    expect(Buffer.from(opened as Uint8Array).toString()).toBe('{"otp_code":"123456"}');
    const ciphertext = Buffer.from(message.ciphertext);
    ciphertext[0] = (ciphertext[0] as number) ^ 1;
    expect(await vault.transfers.openMessage('org', 't', sealed, { ...message, ciphertext })).toBeUndefined();
    expect(await vault.transfers.openMessage('org', 't', sealed, hpkeSeal(newKeyPair().publicKey, utf8('x')))).toBeUndefined();
  });

  test('the sealed half of a message target opens only under its own id, in its own organization', async () => {
    const { installation, vault } = await start();
    await installation.addOrganization(vault, 'other');
    const { publicKey, ciphertext } = await vault.transfers.createTarget('org', 't', 'MESSAGE');
    const message = hpkeSeal(publicKey, utf8('x'));
    await expect(vault.transfers.openMessage('org', 't2', ciphertext, message)).rejects.toThrow(VaultError);
    await expect(vault.transfers.openMessage('other', 't', ciphertext, message)).rejects.toThrow(VaultError);
  });

  test('a closed vault imports and exports nothing', async () => {
    const { vault, target } = await start();
    const message = hpkeSeal(await target('t', 'IMPORT_WALLET'), utf8(MNEMONIC));
    const { publicKey } = newKeyPair();
    const reference = { kind: 'privateKey', id: 'key', curve: 'CURVE_P256' } as const;
    vault.close();
    await expect(vault.transfers.createTarget('org', 't2', 'IMPORT_WALLET')).rejects.toThrow('closed');
    await expect(vault.transfers.importWallet('org', 'w', ['t'], message, [])).rejects.toThrow('closed');
    await expect(vault.transfers.importPrivateKey('org', 'k', ['t'], message, 'CURVE_P256')).rejects.toThrow('closed');
    await expect(vault.transfers.exportWallet('org', 'w', publicKey)).rejects.toThrow('closed');
    await expect(vault.transfers.exportPrivateKey('org', reference, publicKey, publicKey)).rejects.toThrow('closed');
    await expect(vault.transfers.openMessage('org', 't', new Uint8Array(60), message)).rejects.toThrow('closed');
  });
});
