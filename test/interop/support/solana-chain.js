import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Starts Solana's runtime behind JSON-RPC in a process of its own. The first start installs the runtime. */
export async function startSolanaChain() {
  const flags = ['--conditions=@countersign/source', '--import', 'tsx', 'test/support/serve-solana-node.ts'];
  const node = spawn(process.execPath, flags, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(node, 'close');
  const ended = closed.then(([code]) => Promise.reject(new Error(`the Solana node stopped with code ${code}`)));
  const [line] = await Promise.race([once(createInterface(node.stdout), 'line'), ended]);
  ended.catch(() => undefined);
  const { chain, url } = JSON.parse(line);

  async function call(method, params) {
    const request = { jsonrpc: '2.0', id: 1, method, params };
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    const { result, error } = await response.json();
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  return {
    chain,
    url,
    airdrop: (address, lamports) => call('requestAirdrop', [address, lamports]),
    advance: (blocks) => call('advanceBlocks', [blocks]),
    async stop() {
      node.kill();
      await closed;
    },
  };
}
