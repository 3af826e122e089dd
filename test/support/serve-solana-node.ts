import { startSolanaNode } from './solana-node.ts';

// A program for tests that are not TypeScript: prints the name of the chain and the address of a node, and serves until it is stopped.
const { chain, url } = await startSolanaNode();
process.stdout.write(`${JSON.stringify({ chain, url })}\n`);
