import { t } from '../types.ts';
import { type ChainSchema, transactionNamespace } from './chain.ts';

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
const transaction = t.struct('BitcoinTransaction', {
  version: { type: t.string, doc: 'The version, as text' },
  inputs: { type: t.list(input), doc: 'What is spent' },
  outputs: { type: t.list(output), doc: 'What is created' },
  locktime: { type: locktime, doc: 'The lock time' },
  fee: { type: t.int, doc: 'Inputs minus outputs, in satoshis. Absent unless every signature depends on the amounts' },
});

export const bitcoin: ChainSchema = {
  namespaces: [
    transactionNamespace(
      'bitcoin.tx',
      transaction,
      {
        doc: 'The Bitcoin transaction to sign',
        example: 'bitcoin.tx.fee <= 10_000 sat',
      },
      ['BITCOIN_SEND_TRANSACTION'],
    ),
  ],
  units: [
    { name: 'BTC', decimals: 8, doc: 'Bitcoin', example: 'bitcoin.tx.outputs.all(o, o.value <= 0.01 BTC)' },
    { name: 'sat', decimals: 0, doc: 'The base unit of Bitcoin', example: 'bitcoin.tx.fee <= 1000 sat' },
  ],
  hexFields: { prefixed: [], bare: ['BitcoinOutput.script_pubkey', 'BitcoinInput.tx_id'] },
  tokenFields: [],
  address: {
    shape: /^(?:bc|tb|bcrt)1[0-9a-z]{38,62}$/i,
    help: () => 'write a P2PKH, P2SH, P2WPKH, P2WSH or P2TR address of any network, and check that it is copied completely',
    acceptStoredInvalid: true,
  },
};
