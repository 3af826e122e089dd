import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { encryptPrivateKeyToBundle, encryptWalletToBundle } from '@turnkey/crypto';
import { recoverAddress } from 'viem';
import {
  deriveKey,
  entropyToMnemonic,
  ethereumAddressOf,
  mnemonicToEntropy,
  mnemonicToSeed,
  parseTypedData,
  toChecksumAddress,
} from '../../../packages/chains/dist/index.js';
import { bytes, ethersVectors, hex, ownVectors, signEthereum } from '../support/vectors.js';
import { nameFor, openWorld } from '../support/world.js';

/** What became of each vector: how often it gave the same bytes, and how often it was refused, by reason. */
async function tally(vectors, run) {
  const counts = {};
  for (const vector of vectors) {
    let outcome;
    try {
      outcome = (await run(vector)) ? 'same' : `different: ${vector.name}`;
    } catch (error) {
      outcome = error.message;
    }
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

/** The typed data of a vector as a client sends it. */
function typedDataOf({ types, primaryType, domain, data }) {
  const fields = { name: 'string', version: 'string', chainId: 'uint256', verifyingContract: 'address', salt: 'bytes32' };
  const given = Object.fromEntries(Object.entries(domain).filter(([, value]) => value !== null));
  const EIP712Domain = Object.entries(fields).flatMap(([name, type]) => (name in given ? [{ name, type }] : []));
  return JSON.stringify({ types: { EIP712Domain, ...types }, primaryType, domain: given, message: data });
}

describe('the vectors of ethers', () => {
  test('legacy transactions, without and with a chain: 1968 the same, 166 refused', async () => {
    const vectors = ethersVectors('transactions').flatMap((vector) => [
      { name: vector.name, key: vector.privateKey, unsigned: vector.unsignedTransaction, signed: vector.signedTransaction },
      {
        name: `${vector.name} on chain 5`,
        key: vector.privateKey,
        unsigned: vector.unsignedTransactionChainId5,
        signed: vector.signedTransactionChainId5,
      },
    ]);
    // EIP-2681 and every node keep the gas limit within 64 bits.
    assert.deepEqual(await tally(vectors, ({ key, unsigned, signed }) => signEthereum(bytes(key), unsigned) === signed), {
      same: 1968,
      'the gas limit does not fit into 64 bits': 166,
    });
  });

  test('typed transactions: 1408 the same, 384 refused', async () => {
    assert.deepEqual(
      await tally(
        ethersVectors('typed-transactions'),
        ({ key, unsigned, signed }) => signEthereum(bytes(key), unsigned) === signed,
      ),
      { same: 1408, 'the chain id is 0, which no chain has': 384 },
    );
  });

  test('typed data: 1025 digests the same', async () => {
    const signer = { curve: 'CURVE_SECP256K1', publicKey: secp256k1.getPublicKey(bytes('01'.repeat(32)), true) };
    const digestOf = (vector) => hex(parseTypedData(typedDataOf(vector), { signer, interfaces: [] }).digest);
    assert.deepEqual(await tally(ethersVectors('eip712'), (vector) => `0x${digestOf(vector)}` === vector.digest), { same: 1025 });
  });

  test('addresses with their checksums', async () => {
    const vectors = ethersVectors('accounts').filter(({ address, checksumAddress }) => address && checksumAddress);
    const same = ({ address, checksumAddress, privateKey }) =>
      toChecksumAddress(address.toLowerCase()) === checksumAddress &&
      (privateKey === undefined ||
        toChecksumAddress(ethereumAddressOf(secp256k1.getPublicKey(bytes(privateKey), false))) === checksumAddress);
    const counts = await tally(vectors, same);
    assert.deepEqual(Object.keys(counts), ['same']);
    assert.ok(counts.same > 1000);
  });
});

describe('BIP-39, BIP-32 and SLIP-10', () => {
  const languages = {
    en: 'MNEMONIC_LANGUAGE_ENGLISH',
    es: 'MNEMONIC_LANGUAGE_SPANISH',
    fr: 'MNEMONIC_LANGUAGE_FRENCH',
    it: 'MNEMONIC_LANGUAGE_ITALIAN',
    ja: 'MNEMONIC_LANGUAGE_JAPANESE',
    ko: 'MNEMONIC_LANGUAGE_KOREAN',
    zh_cn: 'MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE',
    zh_tw: 'MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE',
  };
  const phrases = ethersVectors('hdnode');

  test('entropy and words of every phrase, in eight languages', async () => {
    const plain = (text) => text.normalize('NFKD');
    const counts = await tally(phrases, async ({ locale, entropy, mnemonic }) => {
      const back = hex(await mnemonicToEntropy(mnemonic, languages[locale])) === entropy.slice(2);
      return back && plain(await entropyToMnemonic(bytes(entropy), languages[locale])) === plain(mnemonic);
    });
    assert.deepEqual(counts, { same: 1409 });
  });

  test('keys below the seeds of the phrases, by path', async () => {
    const nodes = phrases.flatMap(({ name, seed, hdnodes }) => hdnodes.map((node) => ({ ...node, name, seed })));
    const chosen = nodes.filter((_, index) => index % 4 === 0);
    const counts = await tally(chosen, ({ seed, path, privateKey }) => {
      const derived = deriveKey({ seed: bytes(seed), curve: 'CURVE_SECP256K1', path });
      return `0x${hex(derived.privateKey)}` === privateKey;
    });
    assert.deepEqual(counts, { same: chosen.length });
    assert.ok(chosen.length > 1500);
  });

  test('the seed of every phrase, with and without a passphrase', async () => {
    const seedOf = async ({ mnemonic, password }) => hex(await mnemonicToSeed(mnemonic, password ?? ''));
    const counts = await tally(phrases, async (phrase) => `0x${await seedOf(phrase)}` === phrase.seed);
    assert.deepEqual(counts, { same: 1409 });
  });

  test('the vectors of the standards themselves', async () => {
    const slip10 = await tally(ownVectors('addresses/slip10.json'), ({ curve, seed, path, privateKey, publicKey }) => {
      const derived = deriveKey({ seed: bytes(seed), curve, path });
      return hex(derived.privateKey) === privateKey && hex(derived.publicKey) === publicKey;
    });
    assert.deepEqual(slip10, { same: 17 });
  });
});

describe('through the running service', () => {
  let world;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  const signer = () => ({
    userId: world.userId,
    organizationId: world.organizationId,
    dangerouslyOverrideSignerPublicKey: world.serviceKeys.signer,
  });

  async function importKey(privateKey) {
    const { client, userId } = world;
    const { importBundle } = await client.initImportPrivateKey({ userId });
    const encryptedBundle = await encryptPrivateKeyToBundle({
      privateKey: privateKey.slice(2),
      keyFormat: 'HEXADECIMAL',
      importBundle,
      ...signer(),
    });
    const { privateKeyId } = await client.importPrivateKey({
      userId,
      privateKeyName: nameFor('vector'),
      encryptedBundle,
      curve: 'CURVE_SECP256K1',
      addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
    });
    return privateKeyId;
  }

  test('transactions of ethers are signed to the same bytes', async () => {
    const typed = ethersVectors('typed-transactions')
      .filter(({ tx }) => tx.chainId)
      .filter((_, index) => index % 120 === 0);
    const legacy = ethersVectors('transactions').filter((_, index) => index % 200 === 0);
    const vectors = [
      ...typed.map(({ key, unsigned, signed }) => ({ key, unsigned, signed })),
      ...legacy.map(({ privateKey, unsignedTransactionChainId5, signedTransactionChainId5 }) => ({
        key: privateKey,
        unsigned: unsignedTransactionChainId5,
        signed: signedTransactionChainId5,
      })),
    ];
    assert.ok(vectors.length > 12);
    const ids = new Map();
    for (const { key, unsigned, signed } of vectors) {
      if (!ids.has(key)) ids.set(key, await importKey(key));
      const answer = await world.client.signTransaction({
        signWith: ids.get(key),
        unsignedTransaction: unsigned.slice(2),
        type: 'TRANSACTION_TYPE_ETHEREUM',
      });
      assert.equal(`0x${answer.signedTransaction}`, signed);
    }
  });

  test('typed data of ethers is signed over the same digest', async () => {
    const privateKey = `0x${'42'.repeat(32)}`;
    const signWith = await importKey(privateKey);
    const address = toChecksumAddress(ethereumAddressOf(secp256k1.getPublicKey(bytes(privateKey), false)));
    for (const vector of ethersVectors('eip712').filter((_, index) => index % 80 === 0)) {
      const { r, s, v } = await world.client.signRawPayload({
        signWith,
        payload: typedDataOf(vector),
        encoding: 'PAYLOAD_ENCODING_EIP712',
        hashFunction: 'HASH_FUNCTION_NO_OP',
      });
      const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number(v) };
      assert.equal(await recoverAddress({ hash: vector.digest, signature }), address);
    }
  });

  test('BIP-44, BIP-49, BIP-84 and BIP-86: the addresses that the standards print', async () => {
    const mnemonic = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
    const printed = [
      ["m/44'/0'/0'/0/0", 'BITCOIN_MAINNET_P2PKH', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA'],
      ["m/49'/1'/0'/0/0", 'BITCOIN_TESTNET_P2SH', '2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2'],
      ["m/84'/0'/0'/0/0", 'BITCOIN_MAINNET_P2WPKH', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
      ["m/84'/0'/0'/0/1", 'BITCOIN_MAINNET_P2WPKH', 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g'],
      ["m/84'/0'/0'/1/0", 'BITCOIN_MAINNET_P2WPKH', 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el'],
      ["m/86'/0'/0'/0/0", 'BITCOIN_MAINNET_P2TR', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
      ["m/86'/0'/0'/0/1", 'BITCOIN_MAINNET_P2TR', 'bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh'],
      ["m/86'/0'/0'/1/0", 'BITCOIN_MAINNET_P2TR', 'bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7'],
    ];
    const { client, userId } = world;
    const { importBundle } = await client.initImportWallet({ userId });
    const { addresses } = await client.importWallet({
      userId,
      walletName: nameFor('standards'),
      encryptedBundle: await encryptWalletToBundle({ mnemonic, importBundle, ...signer() }),
      accounts: printed.map(([path, format]) => ({
        curve: 'CURVE_SECP256K1',
        pathFormat: 'PATH_FORMAT_BIP32',
        path,
        addressFormat: `ADDRESS_FORMAT_${format}`,
      })),
    });
    assert.deepEqual(
      addresses,
      printed.map(([, , address]) => address),
    );
  });

  test('phrases of ethers give the addresses of their keys', async () => {
    const { client, userId } = world;
    const chosen = ethersVectors('hdnode').filter(({ password, hdnodes }) => !password && hdnodes.length > 0);
    for (const { mnemonic, hdnodes } of chosen.filter((_, index) => index % 150 === 0)) {
      const nodes = hdnodes.filter(({ path }) => path !== 'm').slice(0, 3);
      const { importBundle } = await client.initImportWallet({ userId });
      const { addresses } = await client.importWallet({
        userId,
        walletName: nameFor('phrase'),
        encryptedBundle: await encryptWalletToBundle({ mnemonic, importBundle, ...signer() }),
        accounts: nodes.map(({ path }) => ({
          curve: 'CURVE_SECP256K1',
          pathFormat: 'PATH_FORMAT_BIP32',
          path,
          addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        })),
      });
      assert.deepEqual(
        addresses.map((address) => address.toLowerCase()),
        nodes.map(({ address }) => address.toLowerCase()),
      );
    }
  });
});
