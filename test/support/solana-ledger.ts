import { base58 } from '@scure/base';
import { readSolanaMessage, type SolanaMessage } from './solana-message.ts';

/** The part of the runtime that executes transactions. */
export interface ExecutingRuntime {
  latestBlockhash(): string;
  expireBlockhash(): void;
  setSigverify(verify: boolean): void;
  sendLegacyTransaction(wire: Uint8Array): Outcome;
  sendVersionedTransaction(wire: Uint8Array): Outcome;
  simulateLegacyTransaction(wire: Uint8Array): Outcome;
  simulateVersionedTransaction(wire: Uint8Array): Outcome;
}

interface Outcome {
  err?(): unknown;
}

interface Executed {
  readonly slot: number;
  readonly err: unknown;
  readonly message: SolanaMessage;
}

type Params = readonly unknown[];
type Methods = Readonly<Record<string, (params: Params) => unknown>>;

/** Blocks on top of the runtime, and what nodes tell about them. A test decides when blocks are made and when transactions are executed. */
export interface SolanaLedger {
  readonly methods: Methods;
  /** Every transaction that was handed over, in hexadecimal. */
  readonly handed: string[];
  /** Whether transactions that are handed over wait until `execute`. */
  isHolding: boolean;
  /** The first block that the node still has. */
  firstBlock: number;
  /** Whether the node keeps a history of transactions. */
  keepsHistory: boolean;
  /** Adds blocks. After 150 of them the blockhash is another one. */
  advance(blocks: number): void;
  /** Adds one block with another blockhash. */
  nextBlockhash(): void;
  /** Executes what waits. */
  execute(): void;
}

/** Blocks until one is final, and until a blockhash cannot be used. */
const FINAL_AFTER = 32;
const MAX_AGE = 150;
/** The time of slot 0, and the most signatures in a response. */
const FIRST_SECOND = 1_700_000_000;
const MAX_SIGNATURES = 1_000;
/** Numbers of errors after which a transaction is in no block: its bytes were executed, its blockhash is unknown, a signature is wrong. */
const notInBlock: ReadonlySet<unknown> = new Set([6, 7, 11]);

const invalid = (message: string) => ({ error: { code: -32602, message } });

export function createLedger(runtime: ExecutingRuntime): SolanaLedger {
  let height = 1_000;
  let issuedAt = height;
  let waiting: string[] = [];
  const executed = new Map<string, Executed>();
  const slotOf = (at: number) => at + 7_000;

  const run = (wire: Buffer, name: 'send' | 'simulate'): unknown => {
    const isVersioned = ((wire[1 + 64 * (wire[0] ?? 0)] ?? 0) & 0x80) !== 0;
    const outcome = isVersioned ? runtime[`${name}VersionedTransaction`](wire) : runtime[`${name}LegacyTransaction`](wire);
    return outcome.err?.();
  };
  const signatureOf = (wire: Buffer) => base58.encode(wire.subarray(1, 65));

  function execute(hex: string): void {
    const wire = Buffer.from(hex, 'hex');
    const err = run(wire, 'send');
    if (notInBlock.has(err)) return;
    executed.set(signatureOf(wire), {
      slot: slotOf(height),
      err: err === undefined ? null : { InstructionError: [0, { Custom: 1 }] },
      message: readSolanaMessage(wire),
    });
  }

  function status(signature: string) {
    const found = executed.get(signature);
    if (found === undefined) return null;
    const age = slotOf(height) - found.slot;
    const confirmationStatus = age >= FINAL_AFTER ? 'finalized' : age > 0 ? 'confirmed' : 'processed';
    const { slot, err } = found;
    return { slot, err, confirmations: age >= FINAL_AFTER ? null : age, confirmationStatus };
  }

  /** Final transactions that name an address, newest first. Those of `airdrop` are not among them. */
  function signaturesFor(address: string, limit: number, before: string | undefined): unknown {
    const final = [...executed].filter(([, { slot }]) => slotOf(height) - slot >= FINAL_AFTER).reverse();
    const start = before === undefined ? 0 : final.findIndex(([signature]) => signature === before) + 1;
    if (before !== undefined && start === 0) return { error: { code: -32020, message: `Transaction ${before} not found` } };
    const found = final.slice(start).filter(([, { message }]) => message.accounts.includes(address));
    return found.slice(0, limit).map(([signature, { slot, err, message }]) => ({
      signature,
      slot,
      err,
      memo: message.memo,
      blockTime: FIRST_SECOND + slot,
      confirmationStatus: 'finalized',
    }));
  }

  const ledger: SolanaLedger = {
    handed: [],
    isHolding: false,
    firstBlock: 0,
    keepsHistory: true,
    advance(blocks) {
      height += blocks;
      if (height - issuedAt > MAX_AGE) ledger.nextBlockhash();
    },
    nextBlockhash() {
      runtime.expireBlockhash();
      height += 1;
      issuedAt = height;
    },
    execute() {
      const now = waiting;
      waiting = [];
      for (const hex of now) execute(hex);
    },
    methods: {
      getLatestBlockhash: () => ({
        context: { slot: slotOf(height) },
        value: { blockhash: runtime.latestBlockhash(), lastValidBlockHeight: issuedAt + MAX_AGE },
      }),
      isBlockhashValid: ([blockhash]) => ({ context: { slot: slotOf(height) }, value: blockhash === runtime.latestBlockhash() }),
      getEpochInfo([options]) {
        const { commitment } = options as { commitment: string };
        const at = commitment === 'finalized' ? height - FINAL_AFTER : height;
        return { absoluteSlot: slotOf(at), blockHeight: at, epoch: 1, slotIndex: 1, slotsInEpoch: 432_000, transactionCount: 1 };
      },
      getFirstAvailableBlock: () => ledger.firstBlock,
      getSignatureStatuses([signatures, options]) {
        if ((options as { searchTransactionHistory?: boolean }).searchTransactionHistory !== true)
          return invalid('this node answers with history only');
        if (!ledger.keepsHistory)
          return { error: { code: -32011, message: 'Transaction history is not available from this node' } };
        return { context: { slot: slotOf(height) }, value: (signatures as string[]).map(status) };
      },
      getSignaturesForAddress([address, options]) {
        if (!ledger.keepsHistory)
          return { error: { code: -32011, message: 'Transaction history is not available from this node' } };
        const { limit, commitment, before } = options as { limit: number; commitment: string; before?: string };
        if (commitment !== 'finalized' || !(limit >= 1 && limit <= MAX_SIGNATURES)) return invalid('Invalid limit');
        return signaturesFor(address as string, limit, before);
      },
      simulateTransaction([text, options]) {
        const { encoding, sigVerify } = options as { encoding: string; sigVerify: boolean };
        if (encoding !== 'base64' || sigVerify) return invalid('this node tries unsigned transactions only');
        runtime.setSigverify(false);
        const err = run(Buffer.from(text as string, 'base64'), 'simulate');
        runtime.setSigverify(true);
        const shown =
          err === undefined ? null : notInBlock.has(err) ? 'BlockhashNotFound' : { InstructionError: [0, { Custom: 1 }] };
        return { context: { slot: slotOf(height) }, value: { err: shown, logs: [] } };
      },
      sendTransaction([text, options]) {
        const { encoding, skipPreflight, maxRetries } = options as {
          encoding: string;
          skipPreflight: boolean;
          maxRetries: number;
        };
        if (encoding !== 'base64' || !skipPreflight || maxRetries !== 0) return invalid('this node repeats nothing');
        const wire = Buffer.from(text as string, 'base64');
        ledger.handed.push(wire.toString('hex'));
        if (ledger.isHolding) waiting.push(wire.toString('hex'));
        else execute(wire.toString('hex'));
        return signatureOf(wire);
      },
    },
  };
  return ledger;
}
