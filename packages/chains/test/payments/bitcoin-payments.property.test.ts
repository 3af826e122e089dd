import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { RawTx, Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ScriptKind, scriptKinds } from '../../src/bitcoin/network.ts';
import { ownAddress, ownScripts } from '../../src/bitcoin/own-scripts.ts';
import { bitcoinPayment, bitcoinWireForm, type PaymentOrder, requireSendableOnBitcoin } from '../../src/index.ts';
import { parse, publicKey, sign, signerFor } from '../bitcoin/support.ts';

const CHAIN = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const RATE = 5_000n;
/** Addresses of the regression test network, one of each script, of a key that is not the payer's. */
const receivers = [
  'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
  'bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6',
  '2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc',
  'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
] as const;
const sendable = scriptKinds.filter((kind) => kind !== 'P2PKH');

const formatOf = (kind: ScriptKind) => `ADDRESS_FORMAT_BITCOIN_REGTEST_${kind}`;
const scriptOf = (kind: ScriptKind) =>
  [...ownScripts(publicKey, [kind]).values()][0] as NonNullable<unknown> & { scriptPubKey: Uint8Array };

/** A transaction that pays the account, beside somebody else. */
function paid(kind: ScriptKind, satoshis: bigint, salt: number): string {
  const { scriptPubKey } = scriptOf(kind);
  return bytesToHex(
    RawTx.encode({
      version: 2,
      segwitFlag: false,
      inputs: [{ txid: sha256(Uint8Array.of(salt & 0xff, salt >> 8)), index: 0, finalScriptSig: new Uint8Array(), sequence: 0 }],
      outputs: [
        { amount: 7_777n, script: hexToBytes(`0014${'99'.repeat(20)}`) },
        { amount: satoshis, script: scriptPubKey },
      ],
      lockTime: 0,
    }),
  );
}

const order = (kind: ScriptKind, to: string, amount: bigint): PaymentOrder => ({
  from: ownAddress([...ownScripts(publicKey, [kind]).values()][0] as Parameters<typeof ownAddress>[0], 'REGTEST'),
  ...{ to, amount, asset: `${CHAIN}/slip44:0`, decimals: 8 },
});

const build = (kind: ScriptKind, to: string, amount: bigint, previous: readonly string[], satoshisPerKilobyte = RATE) =>
  bitcoinPayment(order(kind, to, amount), { signer: signerFor(formatOf(kind)), previous, satoshisPerKilobyte });

describe('a payment on Bitcoin', () => {
  test('is decoded as one transfer and a fee that is known, and the rest returns to the payer', () => {
    const payments = fc.record({
      kind: fc.constantFrom(...scriptKinds),
      to: fc.constantFrom(...receivers),
      coins: fc.uniqueArray(fc.bigInt(10_000n, 10n ** 9n), { minLength: 1, maxLength: 6 }),
      share: fc.integer({ min: 1, max: 99 }),
    });
    fc.assert(
      fc.property(payments, ({ kind, to, coins, share }) => {
        const sum = coins.reduce((total, each) => total + each, 0n);
        const amount = (sum * BigInt(share)) / 100n;
        fc.pre(amount >= 546n && sum - amount > 10_000n);
        const { psbt, fee } = build(
          kind,
          to,
          amount,
          coins.map((satoshis, at) => paid(kind, satoshis, at)),
        );
        const { effects, fullyParsed } = parse(psbt, formatOf(kind));
        expect(fullyParsed).toBe(true);
        expect(effects.filter(({ kind: each }) => each !== 'REPLAYABLE')).toMatchObject([
          { kind: 'TRANSFER', asset: { id: `${CHAIN}/slip44:0` }, amount, to },
          { kind: 'FEE', amount: fee },
        ]);
      }),
      { numRuns: 60 },
    );
  });

  test.each(sendable)('of %s is signed at the price that was asked for', (kind) => {
    const { psbt, fee } = build(kind, receivers[0], 150_000n, [
      paid(kind, 100_000n, 1),
      paid(kind, 90_000n, 2),
      paid(kind, 5_000n, 3),
    ]);
    const parsed = parse(psbt, formatOf(kind));
    requireSendableOnBitcoin(parsed, CHAIN);
    const signed = Transaction.fromRaw(hexToBytes(bitcoinWireForm(sign(parsed))), { allowUnknownOutputs: true });
    expect(signed.inputsLength).toBe(2);
    const paidRate = (fee * 1_000n) / BigInt(signed.vsize);
    expect(paidRate).toBeGreaterThanOrEqual(RATE);
    expect(paidRate).toBeLessThan((RATE * 105n) / 100n);
  });

  test('makes no change that nodes do not relay: it is part of the fee', () => {
    const { psbt, fee } = build('P2WPKH', receivers[0], 99_000n, [paid('P2WPKH', 100_000n, 1)]);
    expect(fee).toBe(1_000n);
    expect(parse(psbt, formatOf('P2WPKH')).psbt.outputs).toHaveLength(1);
  });

  test('counts a transaction that is given twice, or with its witnesses, once', () => {
    const raw = paid('P2WPKH', 100_000n, 1);
    const { witnesses: _, ...rest } = { ...RawTx.decode(hexToBytes(raw)) };
    const withWitness = bytesToHex(RawTx.encode({ ...rest, segwitFlag: true, witnesses: [[Uint8Array.of(1)]] }));
    expect(() => build('P2WPKH', receivers[0], 150_000n, [raw, withWitness, `0x${raw}`])).toThrow('100000 satoshis');
    expect(build('P2WPKH', receivers[0], 50_000n, [withWitness])).toEqual(build('P2WPKH', receivers[0], 50_000n, [raw]));
  });

  test('with a changed amount spends a coin that does not exist', () => {
    const raw = paid('P2WPKH', 100_000n, 1);
    const changed = paid('P2WPKH', 100_001n, 1);
    const txIdOf = (previous: string) =>
      bytesToHex(
        parse(build('P2WPKH', receivers[0], 50_000n, [previous]).psbt, formatOf('P2WPKH')).psbt.inputs[0]?.txId as Uint8Array,
      );
    expect(txIdOf(changed)).not.toBe(txIdOf(raw));
  });

  test.each([
    ['an address of the main network', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 50_000n, 'not an address of the network'],
    ['dust', receivers[0], 545n, 'below 546 satoshis'],
    ['more than the coins', receivers[0], 99_990n, 'not enough'],
  ])('of %s is refused', (_, to, amount, reason) => {
    expect(() => build('P2WPKH', to, amount, [paid('P2WPKH', 100_000n, 1)])).toThrow(reason);
  });

  test('is refused with something else than transactions, and with too many coins', () => {
    expect(() => build('P2WPKH', receivers[0], 1_000n, ['zz'])).toThrow('transaction 1 is not hexadecimal');
    expect(() => build('P2WPKH', receivers[0], 1_000n, ['00'])).toThrow();
    const many = Array.from({ length: 51 }, (_, at) => paid('P2WPKH', 10_000n, at));
    expect(() => build('P2WPKH', receivers[0], 490_000n, many)).toThrow('more than 50 coins');
  });
});
