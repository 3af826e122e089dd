import { describe, expect, test } from 'vitest';
import type { CallersRead } from '../../../src/chain-nodes/callers-reads.ts';
import { askNode, readCallOf } from '../../../src/http/rpc/rpc-reads.ts';

const HASH = `0x${'ab'.repeat(32)}`;

/** What reaches a node for a filter, or the code of the error. */
async function asked(filter: object): Promise<unknown> {
  const calls: CallersRead[] = [];
  try {
    const read = readCallOf('eth_getLogs', [filter as never]);
    await askNode(async (call) => {
      calls.push(call);
      return call.method === 'eth_blockNumber' ? '0x1000' : [];
    }, read as CallersRead);
  } catch (error) {
    return (error as { readonly code: number }).code;
  }
  return calls.at(-1)?.params[0];
}

describe('reads of logs', () => {
  test.each([
    [{ fromBlock: '0x900', toBlock: '0x1000' }],
    [{ blockHash: HASH, address: HASH.slice(0, 42), topics: [HASH, null] }],
    [{ fromBlock: 'finalized', toBlock: 'finalized' }],
    [{ address: [] }],
  ])('%j reaches the node', async (filter) => {
    expect(await asked(filter)).toEqual(filter);
  });

  test('the newest block is the end of a filter without one', async () => {
    expect(await asked({ fromBlock: '0x900', topics: [] })).toEqual({ fromBlock: '0x900', toBlock: '0x1000', topics: [] });
    expect(await asked({ fromBlock: '0x1' })).toBe(-32602);
  });

  // Nodes written in Go accept names of members in any case, and the last one counts.
  test.each([
    [{ fromblock: '0x0' }],
    [{ FROMBLOCK: 'earliest', toBlock: 'latest' }],
    [{ fromBlock: '0x900', toBlock: '0x1000', Fromblock: '0x0' }],
    [{ blockHash: HASH, fromBlock: '0x0' }],
    [{ blockHash: HASH, toBlock: 'latest' }],
    [{ blockHash: HASH, fromblock: '0x0' }],
  ])('D1010: %j names blocks in a second way, and reaches no node', async (filter) => {
    expect(await asked(filter)).toBe(-32602);
  });
});
