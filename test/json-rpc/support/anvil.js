import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of Foundry from the registry, which has none for some processors: undefined there. */
export function foundry(name) {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const folder = `@foundry-rs/${name}-${process.platform}-${architecture}`;
  const path = fileURLToPath(new URL(`../../nodes/node_modules/${folder}/bin/${name}`, import.meta.url));
  return existsSync(path) ? path : undefined;
}

/**
 * Starts an Ethereum node with a chain of its own, which makes a block for each transaction.
 * @param {number} chainId
 */
export async function startAnvil(chainId) {
  const flags = ['--host', '127.0.0.1', '--port', '0', '--chain-id', `${chainId}`, '--accounts', '1'];
  const child = spawn(foundry('anvil'), flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  let url;
  for await (const line of createInterface(child.stdout)) {
    const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) {
      url = `http://127.0.0.1:${port}`;
      break;
    }
  }
  if (url === undefined) throw new Error('anvil ended before it was ready');
  child.stdout.resume();
  const call = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = await response.json();
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    url,
    call,
    async stop() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
