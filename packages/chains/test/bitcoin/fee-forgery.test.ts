import { describe, expect, test } from 'vitest';
import type { ScriptKind } from '../../src/bitcoin/network.ts';
import { bitcoin, signaturesAreValid } from './bitcoinjs.ts';
import { output, psbtOf, type RawInput, type Record, rawTransaction, script, txIdOf, witnessUtxo } from './psbt-builder.ts';
import { parse, sign } from './support.ts';

const BTC = 100_000_000n;
const stranger = `0014${'33'.repeat(20)}`;

/** A coin of 10 BTC, and a PSBT record that tells the truth about it or a lie. */
function coin(kind: ScriptKind, salt: string) {
  const previous = rawTransaction([{ txId: salt.repeat(32) }], [output(10n * BTC, script[kind])]);
  const input: RawInput = { txId: txIdOf(previous), vout: 0 };
  const proof: Record = ['00', previous];
  return { input, proof };
}

describe('D78: two requests that each lie about the other input (CVE-2020-14199)', () => {
  const pairs: readonly (readonly [ScriptKind, ScriptKind])[] = [
    ['P2WPKH', 'P2WPKH'],
    ['P2WPKH', 'P2SH'],
    ['P2WSH', 'P2WPKH'],
  ];
  /** What the caller claims the other input to be: its true script, or Taproot, whose signature would commit to every amount. */
  const claims = ['the true script', 'a Taproot script'] as const;

  test.each(pairs.flatMap((pair) => claims.map((claim) => [...pair, claim] as const)))(
    '%s and %s, the other claimed with %s: neither request shows a fee',
    (firstKind, secondKind, claim) => {
      const [first, second] = [coin(firstKind, 'a1'), coin(secondKind, 'b2')];
      const lie = (kind: ScriptKind) => witnessUtxo(10_000n, script[claim === 'a Taproot script' ? 'P2TR' : kind]);
      const outputs = [output(10n * BTC, stranger)];
      const requests = [
        [
          [first.input, first.proof],
          [second.input, lie(secondKind)],
        ],
        [
          [first.input, lie(firstKind)],
          [second.input, second.proof],
        ],
      ] as const;
      const parsed = requests.map((inputs) => parse(psbtOf(inputs, outputs)));
      // This is why the fee matters: the good signature of each request makes one transaction that burns 10 BTC.
      const signed = parsed.map((each) => bitcoin.Psbt.fromHex(sign(each)));
      expect(signaturesAreValid(signed[0] as bitcoin.Psbt, 0)).toBe(true);
      expect(signaturesAreValid(signed[1] as bitcoin.Psbt, 1)).toBe(true);
      for (const { policy, fullyParsed, effects, unparsed } of parsed) {
        expect(policy).not.toHaveProperty('fee');
        expect(fullyParsed).toBe(false);
        expect(unparsed).toHaveLength(1);
        const fee = effects.find(({ kind }) => kind === 'FEE');
        expect(fee).toBeDefined();
        expect(fee).not.toHaveProperty('amount');
      }
    },
  );

  test('the honest request shows what it burns', () => {
    const coins = [coin('P2WPKH', 'a1'), coin('P2WPKH', 'b2')];
    const honest = psbtOf(
      coins.map(({ input, proof }) => [input, proof]),
      [output(10n * BTC, stranger)],
    );
    expect(parse(honest)).toMatchObject({ fullyParsed: true, policy: { fee: 10n * BTC } });
  });
});
