import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { base58 } from '@scure/base';
import { solana as addressFormat } from '../addresses/solana.ts';
import { type PaymentOrder, tokenOfOrder } from '../effects/payment-order.ts';
import { concat } from '../shared/bytes.ts';
import { invalidTransaction } from '../shared/refusal.ts';
import { NO_BLOCKHASH } from './blockhash.ts';
import { associatedTokenAccounts } from './token-account.ts';
import { MAX_TRANSACTION_BYTES } from './wire-transaction.ts';

const SYSTEM = '1'.repeat(32);
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ASSOCIATED_TOKEN = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** How a payment on Solana is made. */
export interface SolanaPaymentOptions {
  /** Zeros by default: the service fills in the newest one. */
  readonly blockhash?: string;
  /**
   * Creates the token account of the receiver if it has none, at the expense of the payer.
   * SECURITY: the program also fails if the account exists and is no longer the receiver's.
   */
  readonly createsAccount?: boolean;
  /** Text for the receiver, which everybody can read. */
  readonly memo?: string;
  /** The price of priority in millionths of a lamport, and the compute units that it is paid for. */
  readonly priority?: { readonly unitPrice: bigint; readonly units: number };
}

interface AccountUse {
  readonly key: string;
  readonly isWritable: boolean;
}

interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

const writes = (key: string): AccountUse => ({ key, isWritable: true });
const reads = (key: string): AccountUse => ({ key, isWritable: false });

/**
 * The unsigned wire transaction of one payment, in hexadecimal: SOL, or a token of the Token program between the associated accounts of both
 * wallets. Throws ChainError.
 */
export function solanaPayment(order: PaymentOrder, options: SolanaPaymentOptions = {}): string {
  const from = addressFormat.normalize(order.from);
  const instructions = [
    ...priorityInstructions(options),
    ...(options.memo === undefined ? [] : [{ program: MEMO, accounts: [], data: utf8ToBytes(options.memo) }]),
    ...transferInstructions({ ...order, from, to: addressFormat.normalize(order.to) }, options.createsAccount === true),
  ];
  const message = legacyMessage(from, instructions, options.blockhash ?? NO_BLOCKHASH);
  const wire = concat([Uint8Array.of(1), new Uint8Array(64), message]);
  if (wire.length > MAX_TRANSACTION_BYTES)
    throw invalidTransaction(`the payment is longer than the ${MAX_TRANSACTION_BYTES} bytes that fit a packet: shorten its memo`);
  return bytesToHex(wire);
}

function priorityInstructions({ priority }: SolanaPaymentOptions): readonly Instruction[] {
  if (priority === undefined) return [];
  const { units, unitPrice } = priority;
  return [
    { program: COMPUTE_BUDGET, accounts: [], data: concat([Uint8Array.of(2), littleEndian(BigInt(units), 4)]) },
    { program: COMPUTE_BUDGET, accounts: [], data: concat([Uint8Array.of(3), littleEndian(unitPrice, 8)]) },
  ];
}

function transferInstructions(order: PaymentOrder, createsAccount: boolean): readonly Instruction[] {
  const { from, to, amount, decimals } = order;
  const mint = tokenOfOrder(order);
  // System program: transfer.
  if (mint === undefined) {
    const data = concat([Uint8Array.of(2, 0, 0, 0), littleEndian(amount, 8)]);
    return [{ program: SYSTEM, accounts: [writes(from), writes(to)], data }];
  }
  const [source, target] = [from, to].map((wallet) => associatedTokenAccounts(wallet, mint)[0]) as [string, string];
  const created: Instruction = {
    program: ASSOCIATED_TOKEN,
    accounts: [writes(from), writes(target), reads(to), reads(mint), reads(SYSTEM), reads(TOKEN)],
    // CreateIdempotent.
    data: Uint8Array.of(1),
  };
  const transfer: Instruction = {
    program: TOKEN,
    accounts: [writes(source), reads(mint), writes(target), reads(from)],
    // TransferChecked.
    data: concat([Uint8Array.of(12), littleEndian(amount, 8), Uint8Array.of(decimals)]),
  };
  return createsAccount ? [created, transfer] : [transfer];
}

/** A legacy message with one signer, who pays. Its accounts are in the order of the format: signer, writable ones, those that are only read. */
function legacyMessage(payer: string, instructions: readonly Instruction[], blockhash: string): Uint8Array {
  const uses = instructions.flatMap(({ accounts, program }) => [...accounts, reads(program)]);
  const others = [...new Set(uses.map(({ key }) => key))].filter((key) => key !== payer);
  const isWritten = (wanted: string) => uses.some(({ key, isWritable }) => key === wanted && isWritable);
  const readOnly = others.filter((key) => !isWritten(key));
  const keys = [payer, ...others.filter(isWritten), ...readOnly];
  return concat([
    Uint8Array.of(1, 0, readOnly.length, keys.length),
    ...keys.map((key) => base58.decode(key)),
    base58.decode(blockhash),
    compactLength(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(keys.indexOf(program), accounts.length, ...accounts.map(({ key }) => keys.indexOf(key))),
      compactLength(data.length),
      data,
    ]),
  ]);
}

/** A length of the format "compact-u16". */
function compactLength(length: number): Uint8Array {
  return length < 0x80 ? Uint8Array.of(length) : Uint8Array.of((length & 0x7f) | 0x80, length >> 7);
}

function littleEndian(value: bigint, length: number): Uint8Array {
  if (value < 0n || value >> BigInt(8 * length) !== 0n) throw invalidTransaction(`${value} does not fit ${8 * length} bits`);
  return Uint8Array.from({ length }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn));
}
