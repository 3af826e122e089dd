import { hexToBytes } from '@noble/hashes/utils.js';
import { bitcoin } from '../bitcoin/bitcoinjs.ts';
import { bytesOf, type HostileSignature, transaction } from './placeholders.ts';

const own = hexToBytes(`5120${bytesOf('self', 32)}`);
const theirs = hexToBytes(`0014${bytesOf('to', 20)}`);
const BTC = 100_000_000n;

interface Payment {
  readonly input?: bigint;
  readonly outputs: readonly { readonly script: Uint8Array; readonly value: bigint }[];
  readonly sighashType?: number;
}

/**
 * A PSBT with one Taproot input of the signer, written by bitcoinjs-lib. A signature of Taproot covers the amounts of the inputs (BIP-341),
 * so that the fee is known without the previous transaction, whose id would depend on the signer.
 */
function send(id: string, harm: string, { input = 21n * BTC, outputs, sighashType }: Payment): HostileSignature {
  const psbt = new bitcoin.Psbt();
  psbt.addInput({
    hash: '11'.repeat(32),
    index: 0,
    witnessUtxo: { script: own, value: input },
    ...(sighashType !== undefined && { sighashType }),
  });
  psbt.addOutputs(outputs.map((each) => ({ ...each })));
  return transaction({ id: `bitcoin/${id}`, harm, chain: 'bitcoin' }, psbt.toHex());
}

const pay = (value: bigint) => ({ script: theirs, value });
const change = (value: bigint) => ({ script: own, value });
const FEE = 1_000n;
const note = bitcoin.payments.embed({ data: [Buffer.from('I agree')] }).output as Uint8Array;
const { SIGHASH_NONE, SIGHASH_SINGLE, SIGHASH_ANYONECANPAY } = bitcoin.Transaction;

/** Hostile transactions of Bitcoin. */
export const bitcoinTransactions: readonly HostileSignature[] = [
  send('coin-huge', 'coin', { outputs: [pay(21n * BTC - FEE)] }),
  send('coin-small', 'small-coin', { outputs: [pay(10_000n), change(21n * BTC - 10_000n - FEE)] }),
  send('change-to-stranger', 'change', {
    outputs: [{ script: hexToBytes(`0014${'0bad'.repeat(10)}`), value: 21n * BTC - 10_000n - FEE }, pay(10_000n)],
  }),
  send('fee', 'fee', { outputs: [pay(10_000n)] }),
  send('data', 'nothing', { outputs: [{ script: note, value: 0n }, change(21n * BTC - FEE)] }),
  send('burn', 'burn', { outputs: [{ script: note, value: 20n * BTC }, change(BTC - FEE)] }),
  {
    ...send('sighash-none', 'others-choose', { outputs: [change(21n * BTC - FEE)], sighashType: SIGHASH_NONE }),
    refused: true,
  },
  {
    ...send('sighash-single', 'others-choose', {
      outputs: [change(21n * BTC - FEE)],
      sighashType: SIGHASH_SINGLE | SIGHASH_ANYONECANPAY,
    }),
    refused: true,
  },
];
