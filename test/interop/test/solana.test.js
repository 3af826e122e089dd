import assert from 'node:assert/strict';
import { verify } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { TurnkeySigner } from '@turnkey/solana';
import { nameFor, openWorld } from '../support/world.js';

const recentBlockhash = Keypair.generate().publicKey.toBase58();

let world;
let signer;
let address;

before(async () => {
  world = await openWorld();
  const account = {
    curve: 'CURVE_ED25519',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: "m/44'/501'/0'/0'",
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
  };
  const { addresses } = await world.client.createWallet({ walletName: nameFor('wallet'), accounts: [account] });
  address = addresses[0];
  signer = new TurnkeySigner({ organizationId: world.organizationId, client: world.client });
});

after(() => world.close());

const transfer = () =>
  SystemProgram.transfer({ fromPubkey: new PublicKey(address), toPubkey: Keypair.generate().publicKey, lamports: 1 });

test('a legacy transaction, whose signatures @solana/web3.js verifies', async () => {
  const transaction = new Transaction({ recentBlockhash, feePayer: new PublicKey(address) }).add(transfer());
  await signer.addSignature(transaction, address);
  assert.ok(transaction.verifySignatures());
});

test('a version 0 transaction, whose one signature covers its message', async () => {
  const message = new TransactionMessage({ payerKey: new PublicKey(address), recentBlockhash, instructions: [transfer()] });
  const transaction = await signer.signTransaction(new VersionedTransaction(message.compileToV0Message()), address);
  assert.equal(transaction.signatures.length, 1);
  assert.ok(verifies(transaction.message.serialize(), transaction.signatures[0]));
});

test('a message', async () => {
  const message = new TextEncoder().encode('Hello');
  assert.ok(verifies(message, await signer.signMessage(message, address)));
});

test('a transaction that the client sends, polled until it is final', { timeout: 120_000 }, async () => {
  await world.solana.airdrop(address, 1_000_000_000);
  const node = new Connection(world.solana.url);
  const toPubkey = Keypair.generate().publicKey;
  const instructions = [SystemProgram.transfer({ fromPubkey: new PublicKey(address), toPubkey, lamports: 2_000_000 })];
  const { blockhash } = await node.getLatestBlockhash();
  const message = new TransactionMessage({ payerKey: new PublicKey(address), recentBlockhash: blockhash, instructions });
  const unsignedTransaction = Buffer.from(new VersionedTransaction(message.compileToV0Message()).serialize()).toString('hex');
  const request = { unsignedTransaction, signWiths: [address], caip2: world.solana.chain, sponsor: false };
  const { sendTransactionStatusId } = await world.client.solSendTransaction(request);
  while ((await node.getBalance(toPubkey)) === 0) await sleep(100);
  await world.solana.advance(40);
  const status = await world.client.pollTransactionStatus({ sendTransactionStatusId, pollingIntervalMs: 100 });
  assert.equal(status.txStatus, 'COMPLETED');
  const [paid] = (await node.getSignatureStatuses([status.solana.signature], { searchTransactionHistory: true })).value;
  assert.deepEqual([paid.confirmationStatus, paid.err], ['finalized', null]);
});

/** Whether a signature was made by the account's key. */
function verifies(message, signature) {
  const x = Buffer.from(new PublicKey(address).toBytes()).toString('base64url');
  return verify(null, message, { key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }, signature);
}
