import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { generateP256KeyPair } from '@turnkey/crypto';
import { TurnkeyClient } from '@turnkey/http';
import { BaseEthereumWallet, WalletStamper, WalletType } from '@turnkey/wallet-stamper';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { apiKeyFor, nameFor, newUser, openWorld } from '../support/world.js';

let world;

before(async () => {
  world = await openWorld();
});

after(() => world.close());

/** Asks with a stamper whose key it has. */
async function whoIs(stamper) {
  const client = new TurnkeyClient({ baseUrl: world.server.compatibleUrl }, stamper);
  return (await client.getWhoami({ organizationId: world.organizationId })).userId;
}

describe('@turnkey/api-key-stamper', () => {
  for (const runtimeOverride of ['node', 'browser', 'purejs']) {
    test(`P-256, as made by its ${runtimeOverride} runtime`, async () => {
      const key = generateP256KeyPair();
      const userId = await newUser(world, { apiKeys: [apiKeyFor(key)] });
      const stamper = new ApiKeyStamper({ apiPublicKey: key.publicKey, apiPrivateKey: key.privateKey, runtimeOverride });
      // Half of all signatures have a high s, which not every verifier accepts.
      for (let round = 0; round < 8; round++) assert.equal(await whoIs(stamper), userId);
    });
  }
});

describe('@turnkey/wallet-stamper', () => {
  test('secp256k1: an Ethereum wallet signs the body as a personal message', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    const wallet = new (class extends BaseEthereumWallet {
      signMessage = (message) => account.signMessage({ message });
    })();
    const key = { apiKeyName: nameFor('wallet'), publicKey: await wallet.getPublicKey(), curveType: 'API_KEY_CURVE_SECP256K1' };
    const userId = await newUser(world, { apiKeys: [key] });
    assert.equal(await whoIs(new WalletStamper(wallet)), userId);
  });

  test('ed25519: a Solana wallet signs the body itself', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const publicKeyHex = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url').toString('hex');
    const wallet = {
      type: WalletType.Solana,
      getPublicKey: async () => publicKeyHex,
      signMessage: async (message) => sign(null, Buffer.from(message), privateKey).toString('hex'),
    };
    const key = { apiKeyName: nameFor('wallet'), publicKey: publicKeyHex, curveType: 'API_KEY_CURVE_ED25519' };
    const userId = await newUser(world, { apiKeys: [key] });
    assert.equal(await whoIs(new WalletStamper(wallet)), userId);
  });
});

test('a request that was stamped without sending can be sent by somebody else', async () => {
  const { url, body, stamp } = await world.client.stampGetWhoami({});
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [stamp.stampHeaderName]: stamp.stampHeaderValue },
    body,
  });
  assert.equal((await response.json()).userId, world.userId);
});
