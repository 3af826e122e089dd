import { t } from '../types.ts';

const input = t.struct('BitcoinInput', {
  tx_id: { type: t.hex, doc: 'The transaction whose output is spent' },
  vout: { type: t.int, doc: 'Which of its outputs' },
  sequence: { type: t.int, doc: 'The sequence number' },
});

const output = t.struct('BitcoinOutput', {
  value: { type: t.int, doc: 'The amount in satoshis' },
  script_pubkey: { type: t.hex, doc: 'The locking script' },
  address: {
    type: t.address('bitcoin'),
    doc: 'Its address, when the script has one. The addresses of a script on all networks are equal',
  },
  address_type: { type: t.string, doc: 'The kind of that address' },
});

const locktime = t.struct('BitcoinLocktime', {
  amount: { type: t.int, doc: 'The lock time' },
  type: { type: t.word('bitcoin.tx.locktime.type', ['Seconds', 'Blocks']), doc: 'Seconds or Blocks' },
});

/** `bitcoin.tx`: a Bitcoin transaction. */
export const bitcoinTransaction = t.struct('BitcoinTransaction', {
  version: { type: t.string, doc: 'The version, as text' },
  inputs: { type: t.list(input), doc: 'What is spent' },
  outputs: { type: t.list(output), doc: 'What is created' },
  locktime: { type: locktime, doc: 'The lock time' },
  fee: { type: t.int, doc: 'Inputs minus outputs, in satoshis. Absent unless every signature depends on the amounts' },
});
