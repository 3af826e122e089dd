import { ethereumNode, type NodeServer } from '../../packages/server/test/chain-nodes/node-server.ts';

const word = (value: number) => value.toString(16).padStart(64, '0');
const tokens = 64;

/** Responds like an Ethereum node whose account has some ether and 2.5 of the first listed token. */
export function serveExampleNode(): Promise<NodeServer> {
  return ethereumNode({
    eth_getTransactionCount: '0x7',
    eth_getBalance: '0x14d1120d7b160000',
    eth_call: `0x${word(1)}${word(2_500_000)}${word(0).repeat(2 * tokens)}`,
    eth_feeHistory: {
      baseFeePerGas: ['0x3b9aca00', '0x3b9aca00'],
      reward: [['0x5f5e100', '0x3b9aca00', '0x77359400']],
    },
  });
}
