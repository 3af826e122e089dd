import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { nodePackageFile } from './node-packages.ts';
import { stopProcess } from './stop-process.ts';

/** A real Ethereum node with a chain of its own: a virtual machine, a pool and blocks. */
export interface Anvil {
  readonly url: string;
  readonly chainId: number;
  /** Calls the node, also with its methods for tests: `anvil_setBalance`, `evm_snapshot`, `anvil_reorg`. Throws its error. */
  call<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>;
  /** Gives an account ether. */
  fund(address: string, ether?: number): Promise<void>;
  /** Adds blocks. */
  mine(blocks?: number): Promise<void>;
  /** Ends the process. A chain with a state file is kept. */
  stop(): Promise<void>;
}

export interface AnvilOptions {
  readonly chainId?: number;
  /** The port of an earlier node, to come back at the same address. */
  readonly port?: number;
  /** A file that keeps the chain when the node stops. */
  readonly stateFile?: string;
  /** An older set of rules: `istanbul` is a chain without EIP-1559. */
  readonly hardfork?: string;
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64' };
const platformPackage = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}`;
const { program, missing } = await findAnvil();

/** What a test needs that this platform does not have. Undefined if nodes can be started. */
export const missingAnvil = missing;

/** Starts a node on a free port of this machine. It makes a block for each transaction, until `evm_setAutomine` ends that. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { chainId = 31_337, port = 0, stateFile, hardfork } = options;
  if (missing !== undefined) throw new Error(`A node of Ethereum cannot be started: ${missing}.`);
  const node = spawn(
    program,
    [
      ...['--host', '127.0.0.1', '--port', `${port}`, '--chain-id', `${chainId}`, '--accounts', '1'],
      ...(stateFile === undefined ? [] : ['--state', stateFile]),
      ...(hardfork === undefined ? [] : ['--hardfork', hardfork]),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const url = await listeningUrl(node);
  const call = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  return {
    url,
    chainId,
    call,
    fund: (address, ether = 100) => call('anvil_setBalance', [address, `0x${(BigInt(ether) * 10n ** 18n).toString(16)}`]),
    mine: (blocks = 1) => call('anvil_mine', [`0x${blocks.toString(16)}`]),
    stop: () => stopProcess(node),
  };
}

function listeningUrl(node: ChildProcess): Promise<string> {
  return new Promise((done, failed) => {
    let output = '';
    const read = (chunk: Buffer) => {
      output += chunk;
      const found = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1];
      if (found !== undefined) done(`http://${found}`);
    };
    node.stdout?.on('data', read);
    node.stderr?.on('data', read);
    node.once('error', failed);
    node.once('exit', (code) => failed(new Error(`anvil ended with ${code}: ${output.slice(0, 500)}`)));
  });
}

type Found =
  | { readonly program: string; readonly missing?: undefined }
  | { readonly missing: string; readonly program?: undefined };

/** The program from the registry, which is installed first. COUNTERSIGN_ANVIL names another one. */
async function findAnvil(): Promise<Found> {
  const given = process.env.COUNTERSIGN_ANVIL;
  if (given !== undefined && given !== '') return { program: given };
  const path = resolve(await nodePackageFile('@foundry-rs/anvil/package.json'), '../../..', platformPackage, 'bin/anvil');
  if (existsSync(path)) return { program: path };
  return { missing: `the registry has no ${platformPackage}; set COUNTERSIGN_ANVIL to the path of anvil` };
}

/** The title of a suite that needs a node. It names what is missing if the suite is skipped. */
export const withAnvil = (title: string): string => (missing === undefined ? title : `${title} (not run: ${missing})`);
