import { hexToBytes } from '@noble/hashes/utils.js';
import { getSignatureFromTransaction, getTransactionDecoder } from '@solana/transactions';
import { describe, expect, test } from 'vitest';
import { bitcoinTransaction } from '../src/bitcoin/index.ts';
import { ethereumTransaction } from '../src/ethereum/index.ts';
import { solanaTransaction } from '../src/solana/index.ts';
import { tronTransaction } from '../src/tron/index.ts';
import { bitcoin } from './bitcoin/bitcoinjs.ts';
import { vectors as bitcoinVectors, parse as parseBitcoin, sign as signBitcoin } from './bitcoin/support.ts';
import { secret, signWith } from './ethereum/support.ts';
import { parse as parseSolana, sign as signSolana, vectors as solanaVectors } from './solana/support.ts';
import { parse as parseTron, sign as signTron, vectors as tronVectors } from './tron/support.ts';

describe('the hash of a signed transaction', () => {
  test('Ethereum: the example of EIP-155', () => {
    const unsigned = 'ec098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a764000080018080';
    expect(ethereumTransaction.hash(signWith(secret, unsigned))).toBe(
      '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788',
    );
    expect(ethereumTransaction.hash('0x')).toBeUndefined();
  });

  test.each(tronVectors.transactions)('Tron: $name has the id of tronweb', ({ unsignedTransaction, txId }) => {
    expect(tronTransaction.hash(signTron(parseTron(unsignedTransaction)))).toBe(txId);
  });

  test('Tron: no hash of bytes that are no signed transaction', () => {
    for (const hex of ['', '0a', '0a05aabb', '1202aabb', '0affffffffff7f']) expect(tronTransaction.hash(hex)).toBeUndefined();
  });

  test.each(solanaVectors.transactions)('Solana: $name has the first signature, once there is one', ({ unsignedTransaction }) => {
    const signed = signSolana(parseSolana(unsignedTransaction));
    const decoded = getTransactionDecoder().decode(hexToBytes(signed));
    const [first] = Object.values(decoded.signatures);
    expect(solanaTransaction.hash(signed)).toBe(first == null ? undefined : getSignatureFromTransaction(decoded));
  });

  test('Solana: no hash while the fee payer has not signed', () => {
    const unsigned = solanaVectors.transactions[0]?.unsignedTransaction as string;
    expect(solanaTransaction.hash(signSolana(parseSolana(unsigned)))).toBeDefined();
    expect(solanaTransaction.hash(unsigned)).toBeUndefined();
  });

  test.each(bitcoinVectors.transactions)('Bitcoin: $name has the id of bitcoinjs-lib, once every input is signed', (vector) => {
    const signed = signBitcoin(parseBitcoin(vector.unsignedTransaction, vector.addressFormat));
    const psbt = bitcoin.Psbt.fromHex(signed);
    const isComplete = vector.ownInputs.length === psbt.inputCount;
    const id = isComplete ? psbt.finalizeAllInputs().extractTransaction(true).getId() : undefined;
    expect(bitcoinTransaction.hash(signed)).toBe(id);
    expect(bitcoinTransaction.hash(vector.unsignedTransaction)).toBeUndefined();
    // A finalized PSBT has the same id.
    if (isComplete) expect(bitcoinTransaction.hash(psbt.toHex())).toBe(id);
  });

  test('Bitcoin: some vectors are complete, with every kind of script, and some are not', () => {
    const isComplete = ({ unsignedTransaction, ownInputs }: (typeof bitcoinVectors.transactions)[number]) =>
      ownInputs.length === bitcoin.Psbt.fromHex(unsignedTransaction).inputCount;
    const complete = bitcoinVectors.transactions.filter(isComplete);
    expect(complete.some(({ name }) => name.startsWith('every kind'))).toBe(true);
    expect(complete.length).toBeLessThan(bitcoinVectors.transactions.length);
  });
});
