import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressFormats } from '../../src/addresses/address-formats.ts';
import { scriptKinds } from '../../src/bitcoin/network.ts';
import { bitcoinTransaction } from '../../src/bitcoin/transaction.ts';
import type { Effect } from '../../src/effects/effect.ts';
import { output, previous, proof, psbtOf, type RawInput, type Record, script, spend, txIdOf } from './psbt-builder.ts';
import { parse, publicKey, signerFor, vector } from './support.ts';

const stranger = `0014${'33'.repeat(20)}`;
const strangerAddress = 'bc1qxvenxvenxvenxvenxvenxvenxvenxven2ymjt8';
const asset = { id: 'bip122:000000000019d6689c085ae165831e93/slip44:0', kind: 'COIN', symbol: 'BTC', decimals: 8 };

const amountOf = (effect: Effect) => ('amount' in effect ? (effect.amount ?? 0n) : 0n);
const lost = (effects: readonly Effect[]) =>
  effects.filter(({ kind }) => kind === 'TRANSFER' || kind === 'FEE').reduce((sum, effect) => sum + amountOf(effect), 0n);

describe('effects', () => {
  test('an output to somebody else is a transfer, change is none, and the fee comes last', () => {
    const { effects, fullyParsed } = parse(
      psbtOf([[spend('P2WPKH'), proof]], [output(300n, stranger), output(600n, script.P2TR)]),
    );
    const from = addressFormats.ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH.encode(publicKey);
    expect(effects).toMatchObject([
      { kind: 'TRANSFER', asset, amount: 300n, from, to: strangerAddress },
      { kind: 'FEE', asset, amount: 100n, from },
    ]);
    expect(fullyParsed).toBe(true);
  });

  test('data is written, and coins in a data output are sent to nobody', () => {
    const { effects, fullyParsed } = parse(
      psbtOf([[spend('P2WPKH'), proof]], [output(0n, '6a0568656c6c6f'), output(2n, '6a0568656c6c6f')]),
    );
    expect(effects).toMatchObject([
      { kind: 'CALL', what: 'write 7 bytes of data' },
      { kind: 'CALL', what: 'write 7 bytes of data' },
      { kind: 'TRANSFER', amount: 2n, to: 'OP_RETURN' },
      { kind: 'FEE', amount: 998n },
    ]);
    expect(fullyParsed).toBe(true);
  });

  test('an unusual script receives its amount and is not understood', () => {
    const { effects, fullyParsed } = parse(psbtOf([[spend('P2WPKH'), proof]], [output(5n, '51')]));
    expect(effects).toMatchObject([
      { kind: 'TRANSFER', amount: 5n, to: 'UNUSUAL_SCRIPT' },
      { kind: 'UNKNOWN', what: 'the script of output 0', bytes: 1 },
      { kind: 'FEE', amount: 995n },
    ]);
    expect(fullyParsed).toBe(false);
  });

  test('D79: a test network in the address of the signer binds nothing, and the effects say so', () => {
    const { unsignedTransaction, addressFormat } = vector('P2WPKH, testnet');
    const { effects } = parse(unsignedTransaction, addressFormat);
    expect(effects[0]).toMatchObject({ kind: 'REPLAYABLE' });
    expect(effects[1]).toMatchObject({ asset: { id: 'bip122:000000000933ea01ad0ee984209779ba/slip44:0' } });
    expect(parse(unsignedTransaction).effects.some(({ kind }) => kind === 'REPLAYABLE')).toBe(false);
  });

  test('never add up to less than the signer loses, whoever else pays', () => {
    const anyScript = fc.constantFrom(stranger, '51', '6a0568656c6c6f', ...Object.values(script));
    const outputs = fc.array(fc.record({ amount: fc.bigInt(0n, 400n), to: anyScript }), { minLength: 1, maxLength: 6 });
    const kinds = fc.subarray([...scriptKinds], { minLength: 1 });
    fc.assert(
      fc.property(
        kinds,
        fc.boolean(),
        fc.option(fc.constantFrom(...scriptKinds)),
        outputs,
        (spentKinds, joined, named, created) => {
          const others: [RawInput, Record][] = joined ? [[{ txId: txIdOf(foreign), vout: 0 }, ['00', foreign]]] : [];
          const inputs = [...spentKinds.map((kind): [RawInput, Record] => [spend(kind), proof]), ...others];
          const total = inputs.length * 1000;
          const paid = created.reduce((sum, { amount }) => sum + amount, 0n);
          fc.pre(paid <= BigInt(total) && (named === null || spentKinds.includes(named)));
          const { effects } = parse(
            psbtOf(
              inputs,
              created.map(({ amount, to }) => output(amount, to)),
            ),
            named === null ? undefined : `ADDRESS_FORMAT_BITCOIN_MAINNET_${named}`,
          );
          const own = new Set(named === null ? Object.values(script) : [script[named]]);
          const spentByOwn = named === null ? BigInt(spentKinds.length) * 1000n : 1000n;
          const returned = created.filter(({ to }) => own.has(to)).reduce((sum, { amount }) => sum + amount, 0n);
          expect(lost(effects)).toBeGreaterThanOrEqual(spentByOwn - returned);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** A previous transaction that pays somebody else. */
const foreign = previous.replaceAll(script.P2PKH, `76a914${'44'.repeat(20)}88ac`);

describe('descriptions', () => {
  test('data and unusual scripts are told as what they are', () => {
    const outputs = [output(1n, '51'), output(2n, '6a0568656c6c6f')];
    expect(parse(psbtOf([[spend('P2WPKH'), proof]], outputs)).description).toBe(
      'send 0.00000001 BTC to an unusual script, the script of output 0, 1 bytes not understood: treat as dangerous, write 7 bytes of data, send 0.00000002 BTC to nobody (destroyed) on Bitcoin, network fee at most 0.00000997 BTC',
    );
  });

  test('what is not listed is counted', () => {
    const outputs = Array.from({ length: 25 }, () => output(10n, stranger));
    expect(parse(psbtOf([[spend('P2WPKH'), proof]], outputs)).description).toContain('and 5 MORE EFFECTS');
  });

  test('a transaction to oneself only returns coins', () => {
    const { description, effects } = parse(psbtOf([[spend('P2WPKH'), proof]], [output(900n, script.P2WPKH)]));
    expect(description).toBe('return 0.000009 BTC to the signing key on Bitcoin, network fee at most 0.000001 BTC');
    expect(effects).toMatchObject([{ kind: 'FEE', amount: 100n }]);
  });

  test('a test network is named', () => {
    const { unsignedTransaction, addressFormat } = vector('P2WPKH, regtest');
    expect(parse(unsignedTransaction, addressFormat).description).toContain(' on Bitcoin regtest, network fee at most ');
  });

  test('a receiver has the name that the organization gave', () => {
    const contact = (address: string) => (address === strangerAddress ? 'Acme' : undefined);
    const psbt = psbtOf([[spend('P2WPKH'), proof]], [output(900n, stranger)]);
    const { description } = bitcoinTransaction.parse(psbt, { signer: signerFor(), interfaces: [], names: { contact } });
    expect(description).toContain(`to "Acme" (${strangerAddress})`);
  });
});
