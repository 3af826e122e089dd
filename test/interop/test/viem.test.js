import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAccount } from '@turnkey/viem';
import {
  createPublicClient,
  createWalletClient,
  http,
  parseEther,
  recoverTransactionAddress,
  verifyMessage,
  verifyTypedData,
} from 'viem';
import { foundry } from 'viem/chains';
import { recoverAuthorizationAddress } from 'viem/utils';
import { startChain } from '../support/dev-chain.js';
import { connectHttp, newPrivateKey, newSubOrganization, newWallet, openWorld } from '../support/world.js';

const recipient = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const typedData = {
  domain: { name: 'Interop', version: '1', chainId: 31_337, verifyingContract: recipient },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'amount', type: 'uint256' },
      { name: 'data', type: 'bytes' },
    ],
  },
  primaryType: 'Mail',
  message: { from: { name: 'Somebody', wallets: [recipient] }, amount: 2n ** 200n, data: '0x00ff' },
};
const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
];

let world;

before(async () => {
  world = await openWorld();
});

after(() => world.close());

/** The ways to an account: by either client, and by address or by the id of a private key. */
const ways = {
  'a wallet account, through @turnkey/http': async () => {
    const { addresses } = await newWallet(world);
    return { client: connectHttp(world.server), signWith: addresses[0], address: addresses[0] };
  },
  'a wallet account, through @turnkey/sdk-server': async () => {
    const { addresses } = await newWallet(world);
    return { client: world.client, signWith: addresses[0], address: addresses[0] };
  },
  'a private key by its id, through @turnkey/http': async () => {
    const { privateKeyId, addresses } = await newPrivateKey(world);
    return { client: connectHttp(world.server), signWith: privateKeyId, address: addresses[0].address };
  },
};

for (const [name, open] of Object.entries(ways)) {
  describe(`an account of @turnkey/viem: ${name}`, () => {
    let account;
    let address;

    before(async () => {
      const { client, signWith, address: expected } = await open();
      account = await createAccount({ client, organizationId: world.organizationId, signWith });
      address = expected;
    });

    test('has the address', () => assert.equal(account.address, address));

    test('signs a message that viem verifies', async () => {
      for (const message of ['Hello', { raw: '0x00ff' }]) {
        assert.ok(await verifyMessage({ address, message, signature: await account.signMessage({ message }) }));
      }
    });

    test('signs typed data that viem verifies', async () => {
      const wallet = createWalletClient({ account, chain: foundry, transport: http() });
      assert.ok(await verifyTypedData({ address, ...typedData, signature: await wallet.signTypedData(typedData) }));
    });

    test('typed data without a domain is refused, not signed for any domain', async () => {
      // Without a wallet client around it, viem sends an empty domain unless the types define EIP712Domain.
      await assert.rejects(account.signTypedData(typedData), /the domain is empty and types does not define EIP712Domain/);
      const types = { ...typedData.types, EIP712Domain: domainTypes };
      assert.ok(
        await verifyTypedData({ address, ...typedData, signature: await account.signTypedData({ ...typedData, types }) }),
      );
    });

    test('signs a delegation of its code (EIP-7702), whose authority is the account', async () => {
      const authorization = await account.signAuthorization({ address: recipient, chainId: 31_337, nonce: 0 });
      assert.equal(await recoverAuthorizationAddress({ authorization }), address);
    });

    for (const fees of [
      { gasPrice: 2n },
      { gasPrice: 2n, accessList: [], type: 'eip2930' },
      { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n },
    ]) {
      test(`signs a transaction with ${Object.keys(fees).join(', ')}, whose sender is the account`, async () => {
        const transaction = { chainId: 31_337, nonce: 0, to: recipient, value: 1n, gas: 21_000n, ...fees };
        const serializedTransaction = await account.signTransaction(transaction);
        assert.equal(await recoverTransactionAddress({ serializedTransaction }), address);
      });
    }
  });
}

test('an activity that needs approvals gives the error that viem users know', async () => {
  const { id, keys, address } = await newSubOrganization(world, { people: 2, threshold: 2 });
  const account = await createAccount({ client: connectHttp(world.server, keys[0]), organizationId: id, signWith: address });
  await assert.rejects(account.signMessage({ message: 'Hello' }), /[Cc]onsensus/);
});

describe('a wallet client on a development chain', () => {
  let chain;

  before(async () => {
    chain = await startChain(foundry.id);
  });

  after(() => chain.stop());

  test('the chain accepts the transaction and pays', async () => {
    const { addresses } = await newWallet(world);
    const account = await createAccount({
      client: connectHttp(world.server),
      organizationId: world.organizationId,
      signWith: addresses[0],
    });
    const node = createPublicClient({ chain: foundry, transport: http(chain.url) });
    await chain.setBalance(account.address, parseEther('2'));
    const before = await node.getBalance({ address: recipient });
    const wallet = createWalletClient({ account, chain: foundry, transport: http(chain.url) });
    const hash = await wallet.sendTransaction({ to: recipient, value: parseEther('1') });
    const receipt = await node.getTransactionReceipt({ hash });
    assert.deepEqual([receipt.status, receipt.from], ['success', account.address.toLowerCase()]);
    assert.equal((await node.getBalance({ address: recipient })) - before, parseEther('1'));
  });
});
