import { bytesToHex } from '@noble/hashes/utils.js';
import { RawPSBTV2 } from '@scure/btc-signer/psbt.js';
import { getPrevOut, Transaction } from '@scure/btc-signer/transaction.js';
import { ChainError } from '../errors.ts';
import { fromHexDigits, withoutPrefix } from '../ethereum/bytes.ts';
import { invalidTransaction } from '../ethereum/refusal.ts';

/** An output that is spent or made. */
export interface Output {
  readonly amount: bigint;
  readonly script: Uint8Array;
}

type PsbtInput = ReturnType<Transaction['getInput']>;

/** One input with what the PSBT says about it. */
export interface Input {
  readonly txId: string;
  readonly vout: number;
  readonly sequence: number;
  readonly fields: PsbtInput;
  /** What is spent, if the PSBT says so. */
  readonly spent?: Output;
  /** Whether the amount is proven by the whole previous transaction, whose hash is the outpoint. */
  readonly proven: boolean;
}

/** A PSBT, read and checked. */
export interface Psbt {
  readonly transaction: Transaction;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
}

/** Hex of twice this many digits still fits a request. */
const MAX_PSBT_BYTES = 500_000;
/** A transaction of more weight (Bitcoin Core, MAX_STANDARD_TX_WEIGHT) is not relayed; four units for each byte outside of witnesses. */
const MAX_UNSIGNED_BYTES = 400_000 / 4;
/** Hashing for a signature takes time in the number of inputs, so for all of them in its square. */
const MAX_INPUTS = 500;
const MAX_SATOSHIS = 21_000_000n * 100_000_000n;

/**
 * Reads a PSBT (BIP-174 version 0, BIP-370 version 2) from hex. Records that are not known stay in it and have no effect.
 * The library checks that a previous transaction hashes to its outpoint, that both forms of a spent output agree, and that
 * redeem and witness scripts and Taproot keys fit the output.
 */
export function parsePsbt(hex: string): Psbt {
  const digits = withoutPrefix(hex);
  if (digits.length > 2 * MAX_PSBT_BYTES) throw invalidTransaction(`the PSBT is longer than ${MAX_PSBT_BYTES} bytes`);
  const bytes = fromHexDigits(digits);
  if (bytes === undefined) throw invalidTransaction('the PSBT is not hex');
  return readPsbt(bytes);
}

/** Reads a PSBT from its bytes; the transaction in the result is a fresh one, which the caller may change. */
export function readPsbt(bytes: Uint8Array): Psbt {
  const psbt = guarded(() => {
    const transaction = Transaction.fromPSBT(bytes, {
      unknown: 'ignore',
      proprietary: 'ignore',
      allowUnknownOutputs: true,
      allowUnknownInputs: true,
      allowMissingTxModifiable: false,
    });
    if (transaction.opts.PSBTVersion === 2) requireSettled(bytes);
    if (transaction.inputsLength > MAX_INPUTS) throw invalidTransaction(`the transaction has more than ${MAX_INPUTS} inputs`);
    if (transaction.unsignedTx.length > MAX_UNSIGNED_BYTES) {
      throw invalidTransaction('the transaction is larger than nodes relay');
    }
    const inputs = Array.from({ length: transaction.inputsLength }, (_, index) => readInput(transaction.getInput(index)));
    const outputs = Array.from({ length: transaction.outputsLength }, (_, index) => readOutput(transaction.getOutput(index)));
    return { transaction, inputs, outputs };
  });
  requireSound(psbt);
  return psbt;
}

function readInput(fields: PsbtInput): Input {
  const { txid, index, sequence, nonWitnessUtxo, witnessUtxo } = fields;
  if (txid === undefined || index === undefined) throw invalidTransaction('an input names no output to spend');
  const hasSpent = nonWitnessUtxo !== undefined || witnessUtxo !== undefined;
  return {
    txId: bytesToHex(txid),
    vout: index,
    sequence: sequence ?? 0xffffffff,
    fields,
    ...(hasSpent && { spent: getPrevOut(fields) }),
    proven: nonWitnessUtxo !== undefined,
  };
}

function readOutput({ amount, script }: { amount?: bigint; script?: Uint8Array }): Output {
  if (amount === undefined || script === undefined) throw invalidTransaction('an output has no amount or no script');
  return { amount, script };
}

function requireSound({ inputs, outputs }: Psbt): void {
  if (inputs.length === 0 || outputs.length === 0) throw invalidTransaction('the transaction has no inputs or no outputs');
  if (new Set(inputs.map(({ txId, vout }) => `${txId}:${vout}`)).size !== inputs.length) {
    throw invalidTransaction('the transaction spends an output twice');
  }
  const amounts = [...inputs.flatMap(({ spent }) => spent ?? []), ...outputs].map(({ amount }) => amount);
  if (amounts.some((amount) => amount < 0n || amount > MAX_SATOSHIS)) {
    throw invalidTransaction('an amount is more than there are bitcoins');
  }
}

/** BIP-370: while inputs or outputs may still be added, a signature over all of them is out of place. */
function requireSettled(bytes: Uint8Array): void {
  const flags = RawPSBTV2.decode(bytes).global.txModifiable ?? 0;
  if ((flags & 0b011) !== 0) throw invalidTransaction('the PSBT still allows inputs or outputs to be added');
}

/** Whatever the library refuses is a fault of the input; its errors hold nothing but public parts of it. */
function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainError) throw error;
    const reason = error instanceof Error ? error.message.slice(0, 200) : 'unknown reason';
    throw invalidTransaction(`the PSBT is not valid: ${reason}`);
  }
}
