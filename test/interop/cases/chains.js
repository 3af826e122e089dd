import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { checkFields } from '../support/check-fields.js';
import { nameFor, newWallet } from '../support/world.js';

const CHAIN = 'eip155:1';

/** An account with some ether on the development chain. */
async function fundedAddress(world, balance) {
  const { addresses } = await newWallet(world);
  await world.chain.setBalance(addresses[0], balance);
  return addresses[0];
}

/** Sends a payment from a new account. */
async function send(world) {
  const from = await fundedAddress(world, 10n ** 18n);
  const to = `0x${'11'.repeat(20)}`;
  const { sendTransactionStatusId } = await world.client.ethSendTransaction({ from, caip2: CHAIN, calls: [{ to, value: '1' }] });
  return { sendTransactionStatusId };
}

/** Queries about a chain, which the server reads from the development chain. */
export const chains = {
  async getNonces(world) {
    const address = await fundedAddress(world, 1n);
    assert.deepEqual(await world.client.getNonces({ address, caip2: CHAIN, nonce: true }), { nonce: '0' });
  },

  async getWalletAddressBalances(world) {
    const address = await fundedAddress(world, 1_500_000_000_000_000_000n);
    const { balances } = await world.client.getWalletAddressBalances({ address, caip2: CHAIN });
    assert.deepEqual(balances, [
      {
        caip19: 'eip155:1/slip44:60',
        symbol: 'ETH',
        decimals: 18,
        balance: '1500000000000000000',
        display: { crypto: '1.5' },
      },
    ]);
  },

  async ethSendTransaction(world) {
    checkFields(await send(world), { sendTransactionStatusId: 'id' });
  },

  async ethUndelegate7702(world) {
    const from = await fundedAddress(world, 10n ** 18n);
    await world.chain.setDelegation(from, `0x${'11'.repeat(20)}`);
    const sent = await world.client.ethUndelegate7702({ from, caip2: CHAIN });
    checkFields(sent, { sendTransactionStatusId: 'id' });
    for (const untilMs = Date.now() + 20_000; (await world.chain.codeOf(from)) !== '0x'; await sleep(200))
      assert.ok(Date.now() < untilMs, 'the account still obeys code');
  },

  async solSendTransaction(world) {
    const { client, solana } = world;
    const account = {
      curve: 'CURVE_ED25519',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/501'/0'/0'",
      addressFormat: 'ADDRESS_FORMAT_SOLANA',
    };
    const { addresses } = await client.createWallet({ walletName: nameFor('wallet'), accounts: [account] });
    const [from] = addresses;
    await solana.airdrop(from, 2_000_000_000);
    const payer = new PublicKey(from);
    const transaction = new Transaction({ recentBlockhash: PublicKey.default.toBase58(), feePayer: payer }).add(
      SystemProgram.transfer({ fromPubkey: payer, toPubkey: Keypair.generate().publicKey, lamports: 1_000_000_000 }),
    );
    const unsignedTransaction = transaction.serialize({ requireAllSignatures: false }).toString('hex');
    const sent = await client.solSendTransaction({ signWiths: [from], caip2: solana.chain, unsignedTransaction });
    checkFields(sent, { sendTransactionStatusId: 'id' });
  },

  async getSendTransactionStatus(world) {
    const { sendTransactionStatusId } = await send(world);
    const { txStatus } = await world.client.getSendTransactionStatus({ sendTransactionStatusId });
    assert.ok(['INITIALIZED', 'BROADCASTING', 'INCLUDED', 'COMPLETED'].includes(txStatus), txStatus);
  },

  async listSupportedAssets({ client }) {
    const { assets } = await client.listSupportedAssets({ caip2: CHAIN });
    checkFields(assets[0], { caip19: 'text', symbol: 'text', decimals: 'number' });
    assert.ok(assets.some(({ symbol }) => symbol === 'USDC'));
  },
};
