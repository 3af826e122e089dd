import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  FetchRequest,
  JsonRpcProvider,
  verifyTypedData as recoverTyped,
  Transaction,
  verifyMessage as verifyWithEthers,
} from 'ethers';
import { createWalletClient, http, recoverTransactionAddress, verifyMessage, verifyTypedData } from 'viem';
import { sepolia } from 'viem/chains';
import { Web3 } from 'web3';
import { foundry } from '../support/anvil.js';
import { startSigner } from '../support/signer.js';

const run = promisify(execFile);
const cast = foundry('cast');

const types = {
  Order: [
    { name: 'item', type: 'string' },
    { name: 'amount', type: 'uint256' },
  ],
};
const domain = { name: 'Shop', version: '1', chainId: sepolia.id };
const order = { item: 'tea', amount: 3n };
const typed = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
    ],
    ...types,
  },
  domain,
  primaryType: 'Order',
  message: { item: 'tea', amount: '3' },
};
const to = '0x00000000000000000000000000000000000000AA';

describe('published tools at the JSON-RPC endpoint', () => {
  let signer;
  before(async () => {
    signer = await startSigner(sepolia.id);
  });
  after(() => signer?.stop());

  const headers = () => ({ Authorization: `Bearer ${signer.token}` });

  test('viem', async () => {
    const transport = http(signer.url, { fetchOptions: { headers: headers() } });
    const client = createWalletClient({ account: signer.address, chain: sepolia, transport });
    assert.deepEqual(await client.getAddresses(), [signer.address]);
    assert.equal(await client.getChainId(), sepolia.id);
    const signature = await client.signMessage({ message: 'hello' });
    assert.ok(await verifyMessage({ address: signer.address, message: 'hello', signature }));
    const ofOrder = await client.signTypedData({ types, domain, primaryType: 'Order', message: order });
    assert.ok(
      await verifyTypedData({ address: signer.address, types, domain, primaryType: 'Order', message: order, signature: ofOrder }),
    );
    const fees = { gas: 21_000n, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const raw = await client.signTransaction({ to, value: 1n, nonce: 0, type: 'eip1559', ...fees });
    assert.equal(await recoverTransactionAddress({ serializedTransaction: raw }), signer.address);
  });

  test('ethers', async () => {
    const connection = new FetchRequest(signer.url);
    connection.setHeader('Authorization', headers().Authorization);
    const provider = new JsonRpcProvider(connection);
    try {
      const account = await provider.getSigner(0);
      assert.equal(await account.getAddress(), signer.address);
      assert.equal(verifyWithEthers('hello', await account.signMessage('hello')), signer.address);
      const signature = await account.signTypedData(domain, types, order);
      assert.equal(recoverTyped(domain, types, order, signature), signer.address);
      const fees = { gasLimit: 21_000n, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
      const raw = await account.signTransaction({ to, value: 1n, nonce: 1, chainId: sepolia.id, type: 2, ...fees });
      assert.equal(Transaction.from(raw).from, signer.address);
    } finally {
      provider.destroy();
    }
  });

  test('web3.js', async () => {
    const web3 = new Web3(new Web3.providers.HttpProvider(signer.url, { providerOptions: { headers: headers() } }));
    assert.deepEqual(await web3.eth.getAccounts(), [signer.address]);
    assert.equal(await web3.eth.getChainId(), BigInt(sepolia.id));
    const message = web3.utils.utf8ToHex('hello');
    const signature = await web3.eth.personal.sign(message, signer.address, '');
    assert.equal(await web3.eth.accounts.recover('hello', signature), signer.address);
    const ofOrder = await web3.eth.signTypedData(signer.address, typed, false);
    assert.equal(recoverTyped(domain, types, order, ofOrder), signer.address);
    const fees = { gas: 21_000n, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };
    const request = { from: signer.address, to, value: 1n, nonce: 2n, chainId: BigInt(sepolia.id), type: '0x2', ...fees };
    const { raw } = await web3.eth.signTransaction(request);
    assert.equal(Transaction.from(raw).from, signer.address);
  });

  test('cast', { skip: cast === undefined && 'the registry has no cast for this processor' }, async () => {
    const flags = ['--rpc-url', signer.url, '--rpc-headers', `Authorization: ${headers().Authorization}`];
    const ask = async (...parts) => (await run(cast, [...parts, ...flags])).stdout.trim();
    assert.equal(await ask('chain-id'), String(sepolia.id));
    assert.deepEqual(JSON.parse(await ask('rpc', 'eth_accounts')), [signer.address]);
    const signature = JSON.parse(await ask('rpc', 'personal_sign', '0x68656c6c6f', signer.address));
    assert.equal(verifyWithEthers('hello', signature), signer.address);
    const ofOrder = JSON.parse(await ask('rpc', '--raw', 'eth_signTypedData_v4', JSON.stringify([signer.address, typed])));
    assert.equal(recoverTyped(domain, types, order, ofOrder), signer.address);
    const fees = ['--gas-limit', '21000', '--gas-price', '2000000000', '--priority-gas-price', '1000000000'];
    const raw = await ask('mktx', '--ethsign', '--from', signer.address, '--nonce', '3', ...fees, '--value', '1', to);
    assert.equal(Transaction.from(raw).from, signer.address);
    await assert.rejects(ask('rpc', 'eth_sign', signer.address, `0x${'11'.repeat(32)}`), /eth_sign signs any 32 bytes/);
  });
});
