import { describe, expect, test } from 'vitest';
import type { ScriptKind } from '../../src/bitcoin/network.ts';
import { output, proof, psbtOf, type RawInput, type Record, script, spend, witnessUtxo } from './psbt-builder.ts';
import { parse } from './support.ts';

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

  test('D65: two claimed amounts leave it unknown: signatures for two versions could be combined (CVE-2020-14199)', () => {
    const { policy, fullyParsed, unparsed, description } = two(
      [witnessUtxo(1000n, script.P2WPKH)],
      [witnessUtxo(1000n, script.P2SH)],
    );
    expect(policy).not.toHaveProperty('fee');
    expect(fullyParsed).toBe(false);
    expect(unparsed[0]).toContain('include the whole previous transaction');
    expect(description).toContain('an UNKNOWN network fee in BTC');
  });

  test('is not known when the one amount that is only claimed is not ours', () => {
    const { policy } = two([proof], [witnessUtxo(1000n, stranger)]);
    expect(policy).not.toHaveProperty('fee');
  });

  test('is known when only the amount of the one input that is signed is claimed', () => {
    const psbt = psbtOf(
      [
        [spend('P2WPKH'), proof],
        [spend('P2SH'), witnessUtxo(1000n, script.P2SH)],
      ],
      [output(1500n, stranger)],
    );
    expect(parse(psbt, 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH')).toMatchObject({ fullyParsed: true, policy: { fee: 500n } });
  });

  test('is known with claimed amounts when every signature is a Taproot signature, which commits to all of them', () => {
    const inputs = (vouts: readonly number[]) =>
      vouts.map((vout): [RawInput, Record] => [{ txId: 'ab'.repeat(32), vout }, witnessUtxo(1000n, script.P2TR)]);
    const psbt = psbtOf([...inputs([0, 1]), [{ vout: 9 }, witnessUtxo(1000n, stranger)]], [output(2500n, stranger)]);
    expect(parse(psbt)).toMatchObject({ fullyParsed: true, policy: { fee: 500n } });
  });

  test('is known when a segwit signature commits to its own amount and Taproot signatures to all, the others being proven', () => {
    const mixed = two([witnessUtxo(1000n, script.P2WPKH)], [proof], ['P2WPKH', 'P2TR']);
    expect(mixed).toMatchObject({ fullyParsed: true, policy: { fee: 500n } });
  });

  test('D78: a claimed Taproot input proves nothing to the segwit signature beside it', () => {
    for (const kind of ['P2PKH', 'P2SH', 'P2WPKH', 'P2WSH'] as const) {
      const mixed = two([proof], [witnessUtxo(1000n, script.P2TR)], [kind, 'P2TR']);
      expect(mixed.policy, kind).not.toHaveProperty('fee');
      expect(mixed.fullyParsed, kind).toBe(false);
    }
  });

  test('D78: a legacy signature commits to no amount, not even beside a segwit input that does', () => {
    const { policy, fullyParsed } = two([proof], [witnessUtxo(1000n, script.P2WPKH)], ['P2PKH', 'P2WPKH']);
    expect(policy).not.toHaveProperty('fee');
    expect(fullyParsed).toBe(false);
  });

  test('is not known when an input does not say what it spends', () => {
    const { policy, unparsed } = two([proof], []);
    expect(policy).not.toHaveProperty('fee');
    expect(unparsed[0]).toContain('input 1 does not say what it spends');
  });
});
