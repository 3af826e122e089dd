import { base58 } from '@scure/base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveNode } from '../../../packages/server/test/chain-nodes/node-server.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { type Installation, preparedEngines } from '../../support/installation.ts';
import { startService, type TestService } from '../../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../../support/solana-node.ts';
import { createSubOrganization, errorOf } from '../../support/world.ts';
import { fundedSolana, paySol, RECEIVER, reachSol, SOL, solanaConfig, transfer } from '../sending/solana-support.ts';

const MEMO_PROGRAM = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

let node: SolanaNode;
let installation: Installation;
let service: TestService;
let root: Caller;

beforeAll(async () => {
  node = await startSolanaNode();
  installation = await preparedEngines.sqlite();
  service = await startService(installation, { config: solanaConfig(node, [node.url]) });
  root = service.root;
});
afterAll(async () => {
  await service?.close();
  await installation?.remove();
  await node?.close();
});

const historyOf = (address: string, more: object = {}): Promise<Json> =>
  root.data('listAddressTransactions', { address, caip2: 'solana:mainnet', ...more });

/** Signs bytes and hands them to the node. */
async function handOver(from: string, unsignedTransaction: string): Promise<string> {
  const params = { signWith: from, unsignedTransaction, type: 'TRANSACTION_TYPE_SOLANA' };
  const { signedTransaction } = await root.result('signTransaction', params);
  const text = Buffer.from(signedTransaction, 'hex').toString('base64');
  const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
  return (await node.call('sendTransaction', [text, options])) as string;
}

/** An unsigned transaction that only writes a memo. */
function memoOf(from: string, memo: string): string {
  const data = Buffer.from(memo);
  return Buffer.concat([
    Buffer.of(1),
    Buffer.alloc(64),
    Buffer.of(1, 0, 1, 2),
    base58.decode(from),
    MEMO_PROGRAM,
    base58.decode(node.latestBlockhash()),
    Buffer.of(1, 1, 1, 0, data.length),
    data,
  ]).toString('hex');
}

test('what the runtime executed is listed when it is final, newest first, page by page', async () => {
  const from = await fundedSolana(root, node);
  expect(await historyOf(from)).toEqual({ coverage: 'TRANSACTIONS', entries: [] });
  const id = await paySol(root, node, from);
  await reachSol(root, node, id, 'COMPLETED');
  node.ledger.nextBlockhash();
  const memo = await handOver(from, memoOf(from, 'Invoice 17'));
  node.ledger.nextBlockhash();
  // More than the account has.
  const failed = await handOver(from, transfer(from, 900n * SOL, { blockhash: node.latestBlockhash() }));
  expect((await historyOf(from)).entries).toHaveLength(1);
  node.ledger.advance(40);
  // Another limit, because equal reads share a result for two seconds.
  const { coverage, entries, next } = await historyOf(from, { limit: '50' });
  expect([coverage, next]).toEqual(['TRANSACTIONS', undefined]);
  const { txStatus, solana } = await root.data('getSendTransactionStatus', { sendTransactionStatusId: id });
  expect(txStatus).toBe('COMPLETED');
  expect(entries).toEqual([
    { transactionHash: failed, block: expect.any(String), timestamp: expect.anything(), status: 'FAILED' },
    {
      transactionHash: memo,
      block: expect.any(String),
      timestamp: expect.anything(),
      status: 'SUCCEEDED',
      memo: '[10] Invoice 17',
    },
    { transactionHash: solana.signature, block: expect.any(String), timestamp: expect.anything(), status: 'SUCCEEDED' },
  ]);
  expect(Number(entries[0].timestamp.seconds)).toBe(1_700_000_000 + Number(entries[0].block));

  const paged: Json[] = [];
  let cursor: string | undefined;
  do {
    const page = await historyOf(from, { limit: '1', ...(cursor !== undefined && { cursor }) });
    paged.push(...page.entries);
    cursor = page.next;
  } while (cursor !== undefined);
  expect(paged).toEqual(entries);
});

test('D934: what strangers write into a transaction is one line of visible characters', async () => {
  const victim = await fundedSolana(root, node);
  await handOver(victim, memoOf(victim, 'refund \u202e00001\u202c\u200b to\nattacker\u0000'));
  node.ledger.advance(40);
  const { entries } = await historyOf(victim);
  expect(entries[0].memo).toBe('[34] refund 00001 to attacker');
});

test('D936: a cursor is valid for its account and organization only, and nobody else can write one', async () => {
  const [one, other] = [await fundedSolana(root, node), await fundedSolana(root, node)];
  for (const account of [one, other]) {
    node.ledger.nextBlockhash();
    await handOver(account, transfer(account, 1n, { blockhash: node.latestBlockhash() }));
  }
  node.ledger.advance(40);
  const { next } = await historyOf(one, { limit: '1' });
  expect((await historyOf(one, { limit: '1', cursor: next })).entries).toEqual([]);
  const [slot, signature, mac] = next.split('.');
  const altered = [`${Number(slot) + 1}.${signature}.${mac}`, `${slot}.${signature}`, `${slot}.${signature}.`, 'x', '.', mac];
  const refused = { status: 400, code: 'REQUEST_INVALID', fields: ['cursor'] };
  for (const [address, cursor] of [[other, next], ...altered.map((each) => [one, each])])
    expect(errorOf(await root.query('listAddressTransactions', { address, caip2: node.chain, cursor })), cursor).toEqual(refused);
});

test('D936: only accounts of the organization can be asked for', async () => {
  const own = await fundedSolana(root, node);
  const { caller } = await createSubOrganization(root);
  for (const [asker, address] of [
    [root, RECEIVER],
    [caller, own],
  ] as const) {
    const answer = await asker.query('listAddressTransactions', { address, caip2: node.chain });
    expect(errorOf(answer)).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['address'] });
  }
});

test('D933: a transaction that one endpoint invents or leaves out is not shown', async () => {
  let alter = (rows: Json[]): Json[] => rows;
  const liar = await serveNode(async (method, params) => {
    const result = await node.call(method, params as unknown[]);
    return method === 'getSignaturesForAddress' ? alter(result as Json[]) : result;
  });
  const own = await preparedEngines.sqlite();
  const second = await startService(own, { config: solanaConfig(node, [node.url, liar.url]) });
  try {
    const address = await fundedSolana(second.root, node);
    const params = { signWith: address, type: 'TRANSACTION_TYPE_SOLANA' };
    const unsignedTransaction = transfer(address, 1n, { blockhash: node.latestBlockhash() });
    const { signedTransaction } = await second.root.result('signTransaction', { ...params, unsignedTransaction });
    const text = Buffer.from(signedTransaction, 'hex').toString('base64');
    await node.call('sendTransaction', [text, { encoding: 'base64', skipPreflight: true, maxRetries: 0 }]);
    node.ledger.advance(40);
    const ask = (limit: string) => second.root.query('listAddressTransactions', { address, caip2: node.chain, limit });
    const asked = { address, caip2: node.chain, limit: '10' };
    expect((await second.root.data('listAddressTransactions', asked)).entries).toHaveLength(1);
    const lies: ((rows: Json[]) => Json[])[] = [
      () => [],
      (rows) => rows.map((row) => ({ ...row, err: { InstructionError: [0, 'Custom'] } })),
      (rows) => rows.map((row) => ({ ...row, memo: '[3] abc' })),
      (rows) => [{ ...rows[0], signature: base58.encode(new Uint8Array(64).fill(9)) }, ...rows],
    ];
    for (const [index, lie] of lies.entries()) {
      alter = lie;
      expect(errorOf(await ask(`${20 + index}`)), `lie ${index}`).toEqual({ status: 503, code: 'CHAIN_DISAGREEMENT' });
    }
  } finally {
    await second.close();
    await own.remove();
    await liar.close();
  }
});
