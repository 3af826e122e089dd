import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { foundry, startAnvil } from '../../json-rpc/support/anvil.js';
import { startServer } from '../support/start-server.js';
import { connect, newWallet, rootKey } from '../support/world.js';

const CHAIN_ID = 31_337;
const caip2 = `eip155:${CHAIN_ID}`;
const to = `0x${'11'.repeat(20)}`;
const missing =
  foundry('anvil') === undefined && 'anvil of test/nodes is not installed, or the registry has none for this processor';

describe('the published client sends and polls', { skip: missing }, () => {
  let anvil;
  let server;
  let client;
  before(async () => {
    anvil = await startAnvil(CHAIN_ID);
    const endpoints = JSON.stringify({ [caip2]: [anvil.url] });
    const flags = ['--chain-endpoints', endpoints, '--chain-networks', '127.0.0.0/8', '--send-confirmations', '2'];
    server = await startServer({ flags });
    client = connect(server, server.credentials.organizationId, rootKey(server));
  });
  after(async () => {
    await server?.stop();
    await anvil?.stop();
  });

  /** As the published examples do: asks until the state is final. */
  async function poll(sendTransactionStatusId, meanwhile) {
    for (const untilMs = Date.now() + 60_000; Date.now() < untilMs; await sleep(300)) {
      const status = await client.getSendTransactionStatus({ sendTransactionStatusId });
      if (['COMPLETED', 'FAILED', 'CANCELLED'].includes(status.txStatus)) return status;
      await meanwhile();
    }
    throw new Error('the transaction reached no final state');
  }

  async function fundedAddress() {
    const { addresses } = await newWallet({ client });
    await anvil.call('anvil_setBalance', addresses[0], '0xde0b6b3a7640000');
    return addresses[0];
  }

  test('a payment, to its final state on the chain', async () => {
    const from = await fundedAddress();
    const received = async () => BigInt(await anvil.call('eth_getBalance', to, 'latest'));
    const earlier = await received();
    const { nonce } = await client.getNonces({ address: from, caip2, nonce: true });
    assert.equal(nonce, '0');
    const calls = [{ to, value: '1000000000000000' }];
    const { sendTransactionStatusId } = await client.ethSendTransaction({ from, caip2, calls });
    const { txStatus, eth } = await poll(sendTransactionStatusId, () => anvil.call('anvil_mine', '0x1'));
    assert.equal(txStatus, 'COMPLETED');
    assert.equal((await anvil.call('eth_getTransactionReceipt', eth.txHash)).status, '0x1');
    assert.equal((await received()) - earlier, 1_000_000_000_000_000n);
    assert.equal((await client.getNonces({ address: from, caip2, nonce: true })).nonce, '1');
  });

  test('the poller of the client ends when the transaction is in a block: examples take only INCLUDED', async () => {
    const from = await fundedAddress();
    const { sendTransactionStatusId } = await client.ethSendTransaction({ from, caip2, calls: [{ to, value: '1000' }] });
    const { txStatus, eth } = await client.pollTransactionStatus({ sendTransactionStatusId, pollingIntervalMs: 100 });
    assert.equal(txStatus, 'INCLUDED');
    assert.equal((await anvil.call('eth_getTransactionReceipt', eth.txHash)).status, '0x1');
  });

  test('sponsored gas is rejected with a reason, and nothing is sent', async () => {
    const from = await fundedAddress();
    const request = client.ethSendTransaction({ from, caip2, sponsor: true, calls: [{ to, value: '1' }] });
    await assert.rejects(request, /sponsors no gas/);
    assert.equal(BigInt(await anvil.call('eth_getTransactionCount', from, 'pending')), 0n);
  });
});
