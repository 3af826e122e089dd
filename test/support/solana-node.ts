import { pathToFileURL } from 'node:url';
import { base58 } from '@scure/base';
import { type NodeServer, serveNode } from '../../packages/server/test/chain-nodes/node-server.ts';
import { nodePackageFile } from './node-packages.ts';
import { createLedger, type ExecutingRuntime, type SolanaLedger } from './solana-ledger.ts';

/** Solana's runtime in this process, with a JSON-RPC front that has the methods that the service calls. */
export interface SolanaNode extends NodeServer {
  /** CAIP-2 name. */
  readonly chain: string;
  /** Its blocks, and transactions that are handed over. */
  readonly ledger: SolanaLedger;
  /** Calls the node without HTTP. Throws its error. */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Replaces an account by one of the System program. */
  setLamports(address: string, lamports: bigint): void;
  latestBlockhash(): string;
  airdrop(address: string, lamports: bigint): void;
  /** Stores a mint of the Token program. */
  putMint(mint: string, decimals: number): void;
  /** Stores an account of the Token program, as that program would. */
  putTokens(account: string, token: { readonly mint: string; readonly owner: string; readonly amount: bigint }): void;
  /** Executes a signed transaction. Throws what the runtime says against it. */
  send(wire: Uint8Array): void;
}

interface Account {
  data(): Uint8Array;
}

interface Airdrop {
  signature(): Uint8Array;
}

/** The part of the runtime that is used. Its own types need its own version of another library. */
interface Runtime extends ExecutingRuntime {
  airdrop(address: Uint8Array, lamports: bigint): unknown;
  getBalance(address: Uint8Array): bigint | null;
  getProgramAccounts(program: Uint8Array): readonly { readonly address: Uint8Array; account(): Account }[];
  setAccount(address: Uint8Array, account: Account): void;
}

const GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** Bytes of an account of the Token program: mint, owner, amount, and later its state, of which 1 is initialized. */
const TOKEN_ACCOUNT_BYTES = 165;
const STATE_AT = 108;
/** Bytes of a mint, and the places of its decimals and of its state. */
const MINT = { bytes: 82, decimalsAt: 44, stateAt: 45 };

export async function startSolanaNode(): Promise<SolanaNode> {
  const module = await import(pathToFileURL(await nodePackageFile('litesvm/dist/internal.js')).href);
  const runtime: Runtime = new module.default.LiteSvm();
  const ledger = createLedger(runtime);
  const inContext = (value: unknown) => ({ context: { apiVersion: '3.0.0', slot: 1 }, value });

  const methods: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    getGenesisHash: () => GENESIS_HASH,
    getBalance: ([address]) => inContext(Number(runtime.getBalance(base58.decode(address as string)) ?? 0n)),
    getTokenAccountsByOwner(params) {
      const [owner, { programId }] = params as [string, { programId: string }];
      const accounts = runtime
        .getProgramAccounts(base58.decode(programId))
        .map((found) => ({ pubkey: base58.encode(found.address), data: Buffer.from(found.account().data()) }))
        .filter(({ data }) => data.length === TOKEN_ACCOUNT_BYTES && base58.encode(data.subarray(32, 64)) === owner);
      return inContext(
        accounts.map(({ pubkey, data }) => ({
          pubkey,
          account: { data: { program: 'spl-token', parsed: { info: readTokens(data) } } },
        })),
      );
    },
    getRecentPrioritizationFees: () => [],
    requestAirdrop([address, lamports]) {
      const outcome = runtime.airdrop(base58.decode(address as string), BigInt(lamports as number)) as Airdrop;
      return base58.encode(outcome.signature());
    },
    // Nodes have no such method: tests in other processes make blocks with it.
    advanceBlocks([blocks]) {
      ledger.advance(blocks as number);
      return true;
    },
    ...ledger.methods,
  };
  const respond = (method: string, params: readonly unknown[]): unknown => {
    const run = methods[method];
    return run === undefined ? { error: { code: -32601, message: 'Method not found' } } : run(params);
  };
  const server = await serveNode((method, params) => respond(method, params as unknown[]));
  return {
    ...server,
    chain: `solana:${GENESIS_HASH.slice(0, 32)}`,
    ledger,
    async call(method, params) {
      const result = respond(method, params);
      const { error } = (result ?? {}) as { error?: { message: string } };
      if (error !== undefined) throw new Error(error.message);
      return result;
    },
    setLamports(address, lamports) {
      const stored = new module.default.Account(lamports, new Uint8Array(), new Uint8Array(32), false, 0n);
      runtime.setAccount(base58.decode(address), stored);
    },
    latestBlockhash: () => runtime.latestBlockhash(),
    airdrop: (address, lamports) => void runtime.airdrop(base58.decode(address), lamports),
    putMint(mint, decimals) {
      const data = Buffer.alloc(MINT.bytes);
      data[MINT.decimalsAt] = decimals;
      data[MINT.stateAt] = 1;
      const stored = new module.default.Account(1_461_600n, data, base58.decode(TOKEN_PROGRAM), false, 0n);
      runtime.setAccount(base58.decode(mint), stored);
    },
    putTokens(account, { mint, owner, amount }) {
      const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
      data.set(base58.decode(mint), 0);
      data.set(base58.decode(owner), 32);
      data.writeBigUInt64LE(amount, 64);
      data[STATE_AT] = 1;
      const stored = new module.default.Account(2_039_280n, data, base58.decode(TOKEN_PROGRAM), false, 0n);
      runtime.setAccount(base58.decode(account), stored);
    },
    send(wire) {
      const outcome = runtime.sendLegacyTransaction(wire);
      if (outcome.err !== undefined) throw new Error(`the runtime rejects the transaction: ${outcome.err()}`);
    },
  };
}

function readTokens(data: Buffer) {
  return {
    mint: base58.encode(data.subarray(0, 32)),
    owner: base58.encode(data.subarray(32, 64)),
    state: 'initialized',
    tokenAmount: { amount: data.readBigUInt64LE(64).toString(), decimals: 0, uiAmount: 0.5 },
  };
}
