import { describe, expect, test } from 'vitest';
import type { ScriptKind } from '../../src/bitcoin/network.ts';
import { output, proof, psbtOf, type Record, script, spend, witnessUtxo } from './psbt-builder.ts';
import { parse, vector } from './support.ts';

const stranger = `0014${'33'.repeat(20)}`;

describe('the fee', () => {
  const two = (
    first: readonly Record[],
    second: readonly Record[],
    kinds: readonly [ScriptKind, ScriptKind] = ['P2WPKH', 'P2SH'],
  ) =>
    parse(
      psbtOf(
        [
          [spend(kinds[0]), ...first],
          [spend(kinds[1]), ...second],
        ],
        [output(1500n, stranger)],
      ),
    );

  test('is known when every amount is proven', () => {
    expect(two([proof], [proof])).toMatchObject({ fullyParsed: true, policy: { fee: 500n } });
  });

  test('is known when all but one amount is proven, and the signature commits to that one', () => {
    expect(two([proof], [witnessUtxo(1000n, script.P2SH)])).toMatchObject({ fullyParsed: true, policy: { fee: 500n } });
  });

  test('D65: two claimed amounts leave it unknown: signatures for two versions could be combined (CVE-2020-14199)', () => {
    const { policy, fullyParsed, unparsed, description } = two(
      [witnessUtxo(1000n, script.P2WPKH)],
      [witnessUtxo(1000n, script.P2SH)],
    );
    expect(policy).not.toHaveProperty('fee');
    expect(fullyParsed).toBe(false);
    expect(unparsed[0]).toContain('include the whole previous transaction');
    expect(description).toContain('pay an unknown fee');
  });

  test('is not known when the one amount that is only claimed is not ours', () => {
    const { policy } = two([proof], [witnessUtxo(1000n, stranger)]);
    expect(policy).not.toHaveProperty('fee');
  });

  test('is known with claimed amounts when a Taproot signature of ours commits to all of them', () => {
    const claimed = two([witnessUtxo(1000n, script.P2WPKH)], [witnessUtxo(1000n, script.P2TR)], ['P2WPKH', 'P2TR']);
    expect(claimed).toMatchObject({ fullyParsed: true, policy: { fee: 500n } });
  });

  test('is not known when an input does not say what it spends', () => {
    const { policy, unparsed } = two([proof], []);
    expect(policy).not.toHaveProperty('fee');
    expect(unparsed[0]).toContain('input 1 does not say what it spends');
  });
});

describe('descriptions', () => {
  test('many outputs are told as a sum, data and unusual scripts as what they are', () => {
    const outputs = [...Array.from({ length: 25 }, () => output(10n, stranger)), output(1n, '51'), output(2n, '6a0568656c6c6f')];
    expect(parse(psbtOf([[spend('P2WPKH'), proof]], outputs)).description).toMatch(
      /; send 0.00000053 BTC to 7 more outputs; pay a fee of 0.00000747 BTC$/,
    );
    expect(parse(psbtOf([[spend('P2WPKH'), proof]], outputs.slice(-2))).description).toBe(
      'send 0.00000001 BTC to an unusual script; write 7 bytes of data and destroy 0.00000002 BTC; pay a fee of 0.00000997 BTC',
    );
  });

  test('a test network is named', () => {
    const { unsignedTransaction, addressFormat } = vector('P2WPKH, regtest');
    expect(parse(unsignedTransaction, addressFormat).description).toMatch(/ \(on regtest\)$/);
  });
});
