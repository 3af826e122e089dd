import assert from 'node:assert/strict';
import { decryptExportBundle, encryptPrivateKeyToBundle, encryptWalletToBundle, generateP256KeyPair } from '@turnkey/crypto';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { checkFields } from '../support/check-fields.js';
import { ethereumAccount, nameFor, newPrivateKey, newWallet } from '../support/world.js';

const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const privateKey = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';

/** Import and export of keys, in bundles that the published cryptography opens and makes. */
export const transfer = {
  async exportWallet(world) {
    const { walletId, addresses } = await newWallet(world);
    const target = generateP256KeyPair();
    const answer = await world.client.exportWallet({ walletId, targetPublicKey: target.publicKeyUncompressed });
    assert.equal(answer.walletId, walletId);
    const words = await open(world, answer.exportBundle, target, { returnMnemonic: true });
    assert.equal(mnemonicToAccount(words).address, addresses[0]);
  },

  async exportWalletAccount(world) {
    const { addresses } = await newWallet(world);
    const target = generateP256KeyPair();
    const answer = await world.client.exportWalletAccount({
      address: addresses[0],
      targetPublicKey: target.publicKeyUncompressed,
    });
    assert.equal(answer.address, addresses[0]);
    const key = await open(world, answer.exportBundle, target, { returnMnemonic: false });
    assert.equal(privateKeyToAccount(`0x${key}`).address, addresses[0]);
  },

  async exportPrivateKey(world) {
    const { privateKeyId, addresses } = await newPrivateKey(world);
    const target = generateP256KeyPair();
    const answer = await world.client.exportPrivateKey({ privateKeyId, targetPublicKey: target.publicKeyUncompressed });
    assert.equal(answer.privateKeyId, privateKeyId);
    const key = await open(world, answer.exportBundle, target, { returnMnemonic: false });
    assert.equal(privateKeyToAccount(`0x${key}`).address, addresses[0].address);
  },

  async initImportWallet({ client, userId }) {
    checkFields(await client.initImportWallet({ userId }), { importBundle: 'text' });
  },

  async importWallet(world) {
    const { client, userId } = world;
    const { importBundle } = await client.initImportWallet({ userId });
    const encryptedBundle = await encryptWalletToBundle({ mnemonic, importBundle, ...identity(world) });
    const answer = await client.importWallet({
      userId,
      walletName: nameFor('imported'),
      encryptedBundle,
      accounts: [ethereumAccount],
    });
    checkFields(answer, { walletId: 'id' });
    assert.deepEqual(answer.addresses, [mnemonicToAccount(mnemonic).address]);
  },

  async initImportPrivateKey({ client, userId }) {
    checkFields(await client.initImportPrivateKey({ userId }), { importBundle: 'text' });
  },

  async importPrivateKey(world) {
    const { client, userId } = world;
    const { importBundle } = await client.initImportPrivateKey({ userId });
    const encryptedBundle = await encryptPrivateKeyToBundle({
      privateKey,
      keyFormat: 'HEXADECIMAL',
      importBundle,
      ...identity(world),
    });
    const answer = await client.importPrivateKey({
      userId,
      privateKeyName: nameFor('imported'),
      encryptedBundle,
      curve: 'CURVE_SECP256K1',
      addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
    });
    checkFields(answer, { privateKeyId: 'id' });
    assert.equal(answer.addresses[0].address, privateKeyToAccount(`0x${privateKey}`).address);
  },
};

/** The bundle's owner, and this server's key instead of the one built into the package. */
function identity({ userId, organizationId, serviceKeys }) {
  return { userId, organizationId, dangerouslyOverrideSignerPublicKey: serviceKeys.signer };
}

function open(world, exportBundle, target, choice) {
  const { organizationId, dangerouslyOverrideSignerPublicKey } = identity(world);
  const embeddedKey = target.privateKey;
  return decryptExportBundle({
    exportBundle,
    embeddedKey,
    organizationId,
    dangerouslyOverrideSignerPublicKey,
    keyFormat: 'HEXADECIMAL',
    ...choice,
  });
}
