import { type NodeServer, serveNode } from '../../packages/server/test/chain-nodes/node-server.ts';

const word = (value: number) => value.toString(16).padStart(64, '0');
const tokens = 64;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

const results: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x1',
  eth_blockNumber: '0x16e3600',
  eth_getTransactionCount: '0x7',
  eth_getBalance: '0x14d1120d7b160000',
  eth_call: `0x${word(1)}${word(2_500_000)}${word(0).repeat(2 * tokens)}`,
  eth_feeHistory: {
    baseFeePerGas: ['0x3b9aca00', '0x3b9aca00'],
    reward: [['0x5f5e100', '0x3b9aca00', '0x77359400']],
  },
};

/** Responds like an Ethereum node whose accounts have some ether, and received 2.5 of the first listed token. */
export function serveExampleNode(): Promise<NodeServer> {
  return serveNode((method, params) =>
    method === 'eth_getLogs' ? receivedBy((params as [{ topics: string[] }])[0]) : results[method],
  );
}

/** A transfer to the address that a filter names as the receiver. */
function receivedBy({ topics }: { readonly topics: readonly string[] }): readonly object[] {
  const receiver = topics[2];
  if (receiver === undefined) return [];
  const place = { blockNumber: '0x16e35b2', transactionHash: `0x${'5e'.repeat(32)}`, logIndex: '0x4d' };
  return [
    {
      ...place,
      address: USDC,
      topics: [TRANSFER, `0x${'11'.repeat(20).padStart(64, '0')}`, receiver],
      data: `0x${word(2_500_000)}`,
    },
  ];
}
