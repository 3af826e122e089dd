import { createHash } from 'node:crypto';
import { RawTx } from '@scure/btc-signer';
import { problemOfSignature, type SpentCoin } from './bitcoin-signatures.ts';

interface Coin extends SpentCoin {
  readonly height: number;
}

interface Transaction {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly lockTime: number;
  readonly isFinal: boolean;
  readonly inputs: readonly string[];
  readonly outputs: readonly SpentCoin[];
}

interface Block {
  readonly hash: string;
  readonly transactions: readonly Transaction[];
}

/** An output that no block spends. */
export interface UnspentCoin {
  readonly txid: string;
  readonly index: number;
  readonly satoshis: bigint;
}

/** An error of a node. */
export class NodeProblem extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * A stand-in for a node of Bitcoin, because no package has one. It verifies what a node verifies of transactions that spend outputs of single
 * keys: every signature, amounts, double spends, lock times and the lowest fee. It has a pool, blocks, reorganizations and an index of transactions.
 */
export interface BitcoinLedger {
  /** CAIP-2 name. */
  readonly chain: string;
  /** The result of a call. Throws NodeProblem. */
  answer(method: string, params: readonly unknown[]): unknown;
  /** Every transaction that was handed over, in hexadecimal. */
  readonly handed: string[];
  /** Whether new transactions are rejected for a reason that passes. */
  isFull: boolean;
  /** Whether the node has an index of transactions. */
  isIndexed: boolean;
  /** A block with a transaction that pays a script. Returns the output. */
  fund(script: string, satoshis: bigint): { readonly txid: string; readonly index: number; readonly raw: string };
  /** Adds blocks. The first one has all transactions of the pool. */
  mine(blocks: number): void;
  /** Adds a block in which something else spends an output. */
  spendElsewhere(txid: string, index: number): void;
  /** Replaces the newest blocks by one more empty one. Their transactions go back to the pool, unless they are `dropped`. */
  reorganize(blocks: number, dropped?: boolean): void;
  balanceOf(script: string): bigint;
  /** The outputs in blocks that pay a script and are not spent by a block. */
  coinsOf(script: string): readonly UnspentCoin[];
  /** The id of a transaction in hexadecimal, and the outputs that it spends. */
  read(transaction: string): { readonly id: string; readonly inputs: readonly string[] };
  /** Whether a transaction waits for a block. */
  isWaiting(id: string): boolean;
  readonly height: number;
}

const GENESIS = '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206';
const FIRST_TIME = 1_700_000_000;
const BLOCK_SECONDS = 600;
/** Satoshis for each 1,000 virtual bytes. */
const LOWEST_FEE = 1_000;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function read(bytes: Uint8Array): Transaction {
  const { witnesses: _, segwitFlag: __, ...rest } = RawTx.decode(bytes);
  const withoutWitnesses = RawTx.encode({ ...rest, segwitFlag: false });
  return {
    id: hex(sha256(sha256(withoutWitnesses)).reverse()),
    bytes,
    lockTime: rest.lockTime,
    isFinal: rest.inputs.every(({ sequence }) => sequence === 0xffff_ffff),
    inputs: rest.inputs.map(({ txid, index }) => `${hex(txid)}:${index}`),
    outputs: rest.outputs.map(({ amount, script }) => ({ satoshis: amount, script })),
  };
}

export function createBitcoinLedger(): BitcoinLedger {
  const blocks: Block[] = [{ hash: GENESIS, transactions: [] }];
  let pool: Transaction[] = [];
  let coins = new Map<string, Coin>();
  let salt = 0;

  const height = () => blocks.length - 1;
  const place = (id: string) => blocks.findIndex(({ transactions }) => transactions.some((each) => each.id === id));
  const timeOf = (number: number) => FIRST_TIME + number * BLOCK_SECONDS;

  function addTo(found: Map<string, Coin>, { transactions }: Block, number: number): void {
    for (const { id, inputs, outputs } of transactions) {
      for (const outpoint of inputs) found.delete(outpoint);
      for (const [index, output] of outputs.entries()) found.set(`${id}:${index}`, { ...output, height: number });
    }
  }

  function addBlock(transactions: readonly Transaction[]): void {
    const hash = hex(sha256(Buffer.from(`block ${blocks.length} ${salt++}`)));
    blocks.push({ hash, transactions });
    addTo(coins, blocks.at(-1) as Block, height());
    const isValid = ({ inputs }: Transaction) => inputs.every((outpoint) => coins.has(outpoint));
    const inBlock = new Set(transactions.map(({ id }) => id));
    pool = pool.filter((each) => !inBlock.has(each.id) && isValid(each));
  }

  /** A transaction that nothing verifies, such as one of a miner or of a stranger. */
  function made(inputs: readonly (readonly [txid: string, index: number])[], script: string, satoshis: bigint): Transaction {
    const bytes = RawTx.encode({
      version: 2,
      segwitFlag: false,
      inputs: inputs.map(([txid, index]) => ({
        txid: Buffer.from(txid, 'hex'),
        index,
        finalScriptSig: new Uint8Array(),
        sequence: 0xffff_ffff,
      })),
      outputs: [{ amount: satoshis, script: Buffer.from(script, 'hex') }],
      lockTime: 0,
    });
    return read(bytes);
  }

  /** Throws if the next block cannot contain the transaction, or if the pool does not take it. */
  function verify({ bytes, inputs, outputs, isFinal, lockTime }: Transaction): void {
    const spent = inputs.map((outpoint) => coins.get(outpoint));
    if (spent.some((coin) => coin === undefined)) throw new NodeProblem(-25, 'bad-txns-inputs-missingorspent');
    if (pool.some((other) => other.inputs.some((each) => inputs.includes(each))))
      throw new NodeProblem(-26, 'txn-mempool-conflict');
    if (!isFinal && (lockTime < 500_000_000 ? lockTime > height() : lockTime >= timeOf(height())))
      throw new NodeProblem(-26, 'non-final');
    const sum = (list: readonly (SpentCoin | undefined)[]) => list.reduce((total, each) => total + (each?.satoshis ?? 0n), 0n);
    const fee = sum(spent) - sum(outputs);
    if (fee < 0n) throw new NodeProblem(-26, 'bad-txns-in-belowout');
    const problem = problemOfSignature(bytes, spent as readonly Coin[]);
    if (problem !== undefined) throw new NodeProblem(-26, `mandatory-script-verify-flag-failed (${problem})`);
    if (Number(fee) * 1_000 < LOWEST_FEE * (bytes.length / 2)) throw new NodeProblem(-26, 'min relay fee not met');
    if (ledger.isFull) throw new NodeProblem(-26, 'mempool min fee not met');
  }

  function send(text: string): string {
    ledger.handed.push(text);
    const transaction = read(Buffer.from(text, 'hex'));
    if (place(transaction.id) >= 0) throw new NodeProblem(-27, 'Transaction outputs already in utxo set');
    if (!pool.some(({ id }) => id === transaction.id)) {
      verify(transaction);
      pool.push(transaction);
    }
    return transaction.id;
  }

  function transaction(id: string): unknown {
    const at = ledger.isIndexed ? place(id) : -1;
    if (at >= 0) return { txid: id, blockhash: (blocks[at] as Block).hash, confirmations: height() - at + 1 };
    if (pool.some((each) => each.id === id)) return { txid: id };
    throw new NodeProblem(-5, 'No such mempool or blockchain transaction.');
  }

  function coin(id: string, index: number, withPool: boolean): unknown {
    const name = `${id}:${index}`;
    const waiting = withPool ? pool.find((each) => each.id === id)?.outputs[index] : undefined;
    const found = coins.get(name) ?? (waiting && { ...waiting, height: height() + 1 });
    if (found === undefined || (withPool && pool.some(({ inputs }) => inputs.includes(name)))) return null;
    return {
      bestblock: (blocks.at(-1) as Block).hash,
      confirmations: height() - found.height + 1,
      value: Number(found.satoshis) / 1e8,
      scriptPubKey: { hex: hex(found.script) },
      coinbase: false,
    };
  }

  const calls: Readonly<Record<string, (...params: never[]) => unknown>> = {
    getblockchaininfo: () => ({
      blocks: height(),
      bestblockhash: (blocks.at(-1) as Block).hash,
      mediantime: timeOf(height()),
      initialblockdownload: false,
    }),
    getindexinfo: () => (ledger.isIndexed ? { txindex: { synced: true, best_block_height: height() } } : {}),
    getblockhash: (number: number) => {
      const block = blocks[number];
      if (block === undefined) throw new NodeProblem(-8, 'Block height out of range');
      return block.hash;
    },
    getblockheader: (hash: string) => {
      const number = blocks.findIndex((block) => block.hash === hash);
      if (number < 0) throw new NodeProblem(-5, 'Block not found');
      return { hash, height: number, confirmations: height() - number + 1 };
    },
    getrawtransaction: transaction,
    gettxout: coin,
    sendrawtransaction: send,
  };

  const ledger: BitcoinLedger = {
    chain: `bip122:${GENESIS.slice(0, 32)}`,
    handed: [],
    isFull: false,
    isIndexed: true,
    get height() {
      return height();
    },
    isWaiting: (id) => pool.some((each) => each.id === id),
    fund(script, satoshis) {
      const miner = hex(sha256(Buffer.from(`coins ${salt++}`)));
      const funding = made([[miner, 0]], script, satoshis);
      addBlock([funding]);
      return { txid: funding.id, index: 0, raw: hex(funding.bytes) };
    },
    mine(count) {
      for (let added = 0; added < count; added++) addBlock(added === 0 ? pool : []);
    },
    spendElsewhere(txid, index) {
      addBlock([made([[txid, index]], '51', 1n)]);
    },
    reorganize(count, dropped = false) {
      const gone = blocks.splice(blocks.length - count, count);
      coins = new Map();
      for (const [number, block] of blocks.entries()) addTo(coins, block, number);
      if (!dropped) pool.unshift(...gone.flatMap(({ transactions }) => transactions));
      for (let added = 0; added <= count; added++) addBlock([]);
    },
    balanceOf: (script) =>
      [...coins.values()].reduce((total, each) => total + (hex(each.script) === script ? each.satoshis : 0n), 0n),
    coinsOf(script) {
      const own = [...coins].filter(([, each]) => hex(each.script) === script);
      return own.map(([outpoint, { satoshis }]) => {
        const [txid = '', index] = outpoint.split(':');
        return { txid, index: Number(index), satoshis };
      });
    },
    read: (transaction) => read(Buffer.from(transaction, 'hex')),
    answer(method, params) {
      const call = calls[method];
      if (call === undefined) throw new NodeProblem(-32601, 'Method not found');
      return call(...(params as never[]));
    },
  };
  return ledger;
}
