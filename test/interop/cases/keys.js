import assert from 'node:assert/strict';
import { recoverAddress, recoverTransactionAddress, serializeTransaction, sha256, toHex } from 'viem';
import { checkFields } from '../support/check-fields.js';
import { ethereumAccount, nameFor, newPrivateKey, newWallet } from '../support/world.js';

const walletFields = {
  walletId: 'id',
  walletName: 'text',
  createdAt: 'time',
  updatedAt: 'time',
  exported: 'flag',
  imported: 'flag',
};
const accountFields = {
  walletAccountId: 'id',
  organizationId: 'id',
  walletId: 'id',
  curve: 'text',
  pathFormat: 'text',
  path: 'text',
  addressFormat: 'text',
  address: 'text',
  publicKey: 'text',
  createdAt: 'time',
  updatedAt: 'time',
};
const privateKeyFields = {
  privateKeyId: 'id',
  publicKey: 'text',
  privateKeyName: 'text',
  curve: 'text',
  addresses: 'list',
  privateKeyTags: 'list',
  exported: 'flag',
  imported: 'flag',
  createdAt: 'time',
  updatedAt: 'time',
};
const signatureFields = { r: 'text', s: 'text', v: 'text' };

/** Wallets, private keys and signatures by them. */
export const keys = {
  async createWallet(world) {
    checkFields(await newWallet(world), { walletId: 'id', addresses: 'texts' });
  },

  async getWallet(world) {
    const { walletId } = await newWallet(world);
    checkFields((await world.client.getWallet({ walletId })).wallet, walletFields);
  },

  async getWallets(world) {
    const { walletId } = await newWallet(world);
    const { wallets } = await world.client.getWallets({});
    checkFields(
      wallets.find((wallet) => wallet.walletId === walletId),
      walletFields,
    );
  },

  async updateWallet(world) {
    const { walletId } = await newWallet(world);
    const walletName = nameFor('wallet');
    assert.equal((await world.client.updateWallet({ walletId, walletName })).walletId, walletId);
    assert.equal((await world.client.getWallet({ walletId })).wallet.walletName, walletName);
  },

  async deleteWallets(world) {
    const { walletId } = await newWallet(world);
    const answer = await world.client.deleteWallets({ walletIds: [walletId], deleteWithoutExport: true });
    assert.deepEqual(answer.walletIds, [walletId]);
  },

  async createWalletAccounts(world) {
    const { walletId } = await newWallet(world);
    const accounts = [{ ...ethereumAccount, path: "m/44'/60'/1'/0/0" }];
    checkFields(await world.client.createWalletAccounts({ walletId, accounts }), { addresses: 'texts' });
  },

  async getWalletAccounts(world) {
    const { walletId, addresses } = await newWallet(world);
    const { accounts } = await world.client.getWalletAccounts({ walletId });
    assert.deepEqual(
      accounts.map(({ address }) => address),
      addresses,
    );
    checkFields(accounts[0], accountFields);
  },

  async getWalletAccount(world) {
    const { walletId, addresses } = await newWallet(world);
    const { account } = await world.client.getWalletAccount({ walletId, address: addresses[0] });
    checkFields(account, accountFields);
  },

  async deleteWalletAccounts(world) {
    const { walletId, addresses } = await newWallet(world);
    const { account } = await world.client.getWalletAccount({ walletId, address: addresses[0] });
    const walletAccountIds = [account.walletAccountId];
    await assert.rejects(world.client.deleteWalletAccounts({ walletAccountIds }), { code: 9 });
    const answer = await world.client.deleteWalletAccounts({ walletAccountIds, deleteWithoutExport: true });
    assert.deepEqual(answer.walletAccountIds, walletAccountIds);
    assert.deepEqual((await world.client.getWalletAccounts({ walletId })).accounts, []);
    const again = await world.client.createWalletAccounts({ walletId, accounts: [ethereumAccount] });
    assert.deepEqual(again.addresses, addresses);
  },

  async createPrivateKeys(world) {
    const made = checkFields(await newPrivateKey(world), { privateKeyId: 'id' });
    checkFields(made.addresses[0], { format: 'text', address: 'text' });
  },

  async getPrivateKey(world) {
    const { privateKeyId } = await newPrivateKey(world);
    checkFields((await world.client.getPrivateKey({ privateKeyId })).privateKey, privateKeyFields);
  },

  async getPrivateKeys(world) {
    const { privateKeyId } = await newPrivateKey(world);
    const { privateKeys } = await world.client.getPrivateKeys({});
    checkFields(
      privateKeys.find((key) => key.privateKeyId === privateKeyId),
      privateKeyFields,
    );
  },

  async deletePrivateKeys(world) {
    const { privateKeyId } = await newPrivateKey(world);
    const answer = await world.client.deletePrivateKeys({ privateKeyIds: [privateKeyId], deleteWithoutExport: true });
    assert.deepEqual(answer.privateKeyIds, [privateKeyId]);
  },

  async createPrivateKeyTag(world) {
    const { privateKeyId } = await newPrivateKey(world);
    const answer = await world.client.createPrivateKeyTag({ privateKeyTagName: nameFor('tag'), privateKeyIds: [privateKeyId] });
    checkFields(answer, { privateKeyTagId: 'id' });
    assert.deepEqual(answer.privateKeyIds, [privateKeyId]);
  },

  async updatePrivateKeyTag(world) {
    const { privateKeyTagId } = await newTag(world);
    const { privateKeyId } = await newPrivateKey(world);
    const answer = await world.client.updatePrivateKeyTag({
      privateKeyTagId,
      newPrivateKeyTagName: nameFor('tag'),
      addPrivateKeyIds: [privateKeyId],
      removePrivateKeyIds: [],
    });
    assert.equal(answer.privateKeyTagId, privateKeyTagId);
  },

  async listPrivateKeyTags(world) {
    const { privateKeyTagId } = await newTag(world);
    const { privateKeyTags } = await world.client.listPrivateKeyTags({});
    checkFields(
      privateKeyTags.find(({ tagId }) => tagId === privateKeyTagId),
      { tagName: 'text', tagType: 'text', createdAt: 'time' },
    );
  },

  async deletePrivateKeyTags(world) {
    const { privateKeyTagId } = await newTag(world);
    const answer = await world.client.deletePrivateKeyTags({ privateKeyTagIds: [privateKeyTagId] });
    checkFields(answer, { privateKeyIds: 'list' });
    assert.deepEqual(answer.privateKeyTagIds, [privateKeyTagId]);
  },

  async signRawPayload(world) {
    const { addresses } = await newWallet(world);
    const answer = await world.client.signRawPayload({
      signWith: addresses[0],
      payload: 'hello',
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_SHA256',
    });
    checkFields(answer, signatureFields);
    assert.equal(await recovered(sha256(toHex('hello')), answer), addresses[0]);
  },

  async signRawPayloads(world) {
    const { addresses } = await newWallet(world);
    const payloads = [sha256('0x01'), sha256('0x02')];
    const { signatures } = await world.client.signRawPayloads({
      signWith: addresses[0],
      payloads,
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    });
    for (const [index, hash] of payloads.entries()) assert.equal(await recovered(hash, signatures[index]), addresses[0]);
  },

  async signTransaction(world) {
    const { addresses } = await newWallet(world);
    const transaction = {
      chainId: 1,
      nonce: 0,
      to: addresses[0],
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
    };
    const answer = await world.client.signTransaction({
      signWith: addresses[0],
      unsignedTransaction: serializeTransaction(transaction).slice(2),
      type: 'TRANSACTION_TYPE_ETHEREUM',
    });
    const serializedTransaction = `0x${checkFields(answer, { signedTransaction: 'text' }).signedTransaction}`;
    assert.equal(await recoverTransactionAddress({ serializedTransaction }), addresses[0]);
  },
};

const newTag = ({ client }) => client.createPrivateKeyTag({ privateKeyTagName: nameFor('tag'), privateKeyIds: [] });

/** The address whose key made a signature. */
function recovered(hash, { r, s, v }) {
  return recoverAddress({ hash, signature: { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) } });
}
