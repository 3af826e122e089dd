import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { FetchRequest, JsonRpcProvider, verifyMessage } from 'ethers';
import { createPublicClient, createWalletClient, defineChain, http } from 'viem';
import { Web3 } from 'web3';
import { foundry, startAnvil } from '../support/anvil.js';
import { missingHardhat, runHardhat } from '../support/hardhat.js';
import { startSigner } from '../support/signer.js';

const run = promisify(execFile);
const CHAIN_ID = 31_337;
const to = '0x00000000000000000000000000000000000000AA';
/** Returns the number 42 to every call. */
const contract = '0x00000000000000000000000000000000000000bb';
const missing = foundry('anvil') === undefined && 'the registry has no anvil for this processor';

describe('published tools send through the JSON-RPC endpoint', { skip: missing }, () => {
  let anvil;
  let signer;
  before(async () => {
    anvil = await startAnvil(CHAIN_ID);
    signer = await startSigner(CHAIN_ID, anvil.url);
    await anvil.call('anvil_setBalance', signer.address, '0xde0b6b3a7640000');
    await anvil.call('anvil_setCode', contract, '0x602a5f5260205ff3');
  });
  after(async () => {
    await signer?.stop();
    await anvil?.stop();
  });

  const headers = () => ({ Authorization: `Bearer ${signer.token}` });
  const received = async () => BigInt(await anvil.call('eth_getBalance', to, 'latest'));

  /** Every tool pays another amount: equal payments of a day are one. */
  async function pays(value, send) {
    const before = await received();
    await send(value);
    assert.equal((await received()) - before, value);
  }

  test('viem', async () => {
    const chain = defineChain({
      id: CHAIN_ID,
      name: 'Test',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [signer.url] } },
    });
    const transport = http(signer.url, { fetchOptions: { headers: headers() } });
    const client = createWalletClient({ account: signer.address, chain, transport });
    const reader = createPublicClient({ chain, transport, pollingInterval: 500 });
    await pays(1n, async (value) => {
      const hash = await client.sendTransaction({ to, value });
      const receipt = await reader.waitForTransactionReceipt({ hash });
      assert.equal(receipt.status, 'success');
      assert.equal(await client.sendTransaction({ to, value }), hash);
    });
    assert.equal(BigInt((await reader.call({ to: contract })).data), 42n);
    assert.equal(await reader.getBalance({ address: to }), await received());
  });

  test('ethers', async () => {
    const connection = new FetchRequest(signer.url);
    connection.setHeader('Authorization', headers().Authorization);
    const provider = new JsonRpcProvider(connection, undefined, { pollingInterval: 500 });
    try {
      const account = await provider.getSigner(0);
      await pays(2n, async (value) => {
        const { hash } = await account.sendTransaction({ to, value });
        const receipt = await provider.waitForTransaction(hash);
        assert.equal(receipt.status, 1);
      });
    } finally {
      provider.destroy();
    }
  });

  test('web3.js', async () => {
    const web3 = new Web3(new Web3.providers.HttpProvider(signer.url, { providerOptions: { headers: headers() } }));
    web3.eth.transactionPollingInterval = 500;
    await pays(3n, async (value) => {
      const receipt = await web3.eth.sendTransaction({ from: signer.address, to, value });
      assert.equal(receipt.status, 1n);
    });
  });

  test('Hardhat', { skip: missingHardhat }, async () => {
    await pays(5n, async (value) => {
      const environment = {
        SIGNER_URL: signer.url,
        SIGNER_TOKEN: signer.token,
        PAY_TO: to,
        PAY_VALUE: `0x${value.toString(16)}`,
      };
      const { from, status, message, signature } = JSON.parse(await runHardhat('pay.js', environment));
      assert.equal(from, signer.address);
      assert.equal(status, '0x1');
      assert.equal(verifyMessage(Buffer.from(message.slice(2), 'hex'), signature), signer.address);
    });
  });

  const cast = foundry('cast');
  test('cast', { skip: cast === undefined && 'the registry has no cast for this processor' }, async () => {
    const flags = ['--rpc-url', signer.url, '--rpc-headers', `Authorization: ${headers().Authorization}`];
    const ask = async (...parts) => (await run(cast, [...parts, ...flags])).stdout.trim();
    await pays(4n, async (value) => {
      const sent = await ask('send', '--unlocked', '--from', signer.address, '--value', `${value}`, '--json', to);
      assert.equal(JSON.parse(sent).status, '0x1');
    });
    // cast asks for the next nonce, so its second payment is another one.
    await pays(4n, (value) => ask('send', '--unlocked', '--from', signer.address, '--value', `${value}`, to));
    assert.equal(BigInt(await ask('call', contract, 'answer()(uint256)')), 42n);
    assert.equal(BigInt(await ask('balance', to)), await received());
  });
});
