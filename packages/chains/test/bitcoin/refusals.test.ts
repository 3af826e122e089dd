import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { bitcoinTransaction } from '../../src/bitcoin/index.ts';
import { type ScriptKind, scriptKinds } from '../../src/bitcoin/network.ts';
import { ChainError } from '../../src/errors.ts';
import { attempt } from '../solana/attempt.ts';
import {
  buildPsbt,
  output,
  previous,
  proof,
  psbtOf,
  type Record,
  rawTransaction,
  script,
  spend,
  txIdOf,
  witnessUtxo,
} from './psbt-builder.ts';
import { parse, publicKey, sign, signerFor, vector, vectors } from './support.ts';

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ChainError) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('nothing was refused');
}

const own = vectors.signer.publicKeyHex;
const stranger = `0014${'33'.repeat(20)}`;
const unsigned = rawTransaction([spend('P2WPKH')], [output(900n, stranger)]);
const sighash = (type: string): Record => ['03', type];
const changed = previous.replace('e803', 'e903');

/** The previous transaction with a witness of one item (BIP-144). Its id stays the same. */
const withWitness = previous.replace(/^(.{8})(.*)(.{8})$/, '$10001$20101ff$3');

const refused: readonly (readonly [string, string, string])[] = [
  [
    'no input of the key',
    psbtOf([[spend('P2WPKH'), witnessUtxo(1000n, stranger)]]),
    'the signing key spends no input of the transaction',
  ],
  [
    'an input that does not say what it spends',
    psbtOf([[spend('P2WPKH')]]),
    'the signing key spends no input of the transaction',
  ],
  [
    'a multisig with the key',
    psbtOf([[{}, witnessUtxo(1000n, `a914${'44'.repeat(20)}87`), ['04', `51${'21'}${own}51ae`]]]),
    "input 0 names the signing key in a script that is not the key's alone (P2SH), such as a multisig",
  ],
  [
    'a multisig with the key in P2WSH',
    psbtOf([[{}, witnessUtxo(1000n, `0020${'44'.repeat(32)}`), ['05', `52${'21'}${own}${'21'}02${'55'.repeat(32)}52ae`]]]),
    "input 0 names the signing key in a script that is not the key's alone (P2WSH), such as a multisig",
  ],
  [
    'a derivation of the key for another script',
    psbtOf([[{}, witnessUtxo(1000n, `0020${'44'.repeat(32)}`), [`06${own}`, '00000000']]]),
    "input 0 names the signing key in a script that is not the key's alone (P2WSH)",
  ],
  [
    'a bare multisig with the key',
    psbtOf([[{}, witnessUtxo(1000n, `5121${own}51ae`)]]),
    "input 0 names the signing key in a script that is not the key's alone (a bare script)",
  ],
  [
    'a Taproot leaf with the key',
    psbtOf([[{}, witnessUtxo(1000n, `5120${'44'.repeat(32)}`), [`15c0${'55'.repeat(32)}`, `20${own.slice(2)}acc0`]]]),
    'input 0 names the signing key in a script of a Taproot output (P2TR leaf)',
  ],
  [
    'the multisig of others, with the key in an output only',
    psbtOf([[{}, witnessUtxo(1000n, `a914${'44'.repeat(20)}87`), ['04', `512102${'55'.repeat(32)}51ae`]]]),
    'the signing key spends no input of the transaction',
  ],
  [
    'a partial signature of the key',
    psbtOf([[spend('P2WPKH'), proof, [`02${own}`, `30440220${'01'.repeat(32)}0220${'01'.repeat(32)}01`]]]),
    'input 0 is already signed',
  ],
  ['a Taproot signature', psbtOf([[spend('P2TR'), proof, ['13', '01'.repeat(64)]]]), 'input 0 is already signed'],
  ['a final witness', psbtOf([[spend('P2WPKH'), proof, ['08', '0101ff']]]), 'input 0 is already signed'],
  ['a final scriptSig', psbtOf([[spend('P2PKH'), proof, ['07', '51']]]), 'input 0 is already signed'],
  [
    'a legacy input without its previous transaction',
    psbtOf([[spend('P2PKH'), witnessUtxo(1000n, script.P2PKH)]]),
    'input 0 needs its whole previous transaction (non-witness UTXO)',
  ],
  [
    'a previous transaction with another hash',
    psbtOf([[spend('P2WPKH'), ['00', changed]]]),
    'does not match the outpoint of its input',
  ],
  [
    'an output that the previous transaction does not have',
    psbtOf([[{ txId: txIdOf(previous), vout: 5 }, proof]]),
    'an output that its previous transaction does not have',
  ],
  [
    'another amount in the witness UTXO',
    psbtOf([[spend('P2WPKH'), proof, witnessUtxo(999n, script.P2WPKH)]]),
    'non-witness UTXO of an input disagree',
  ],
  [
    'another script in the witness UTXO',
    psbtOf([[spend('P2WPKH'), proof, witnessUtxo(1000n, script.P2TR)]]),
    'non-witness UTXO of an input disagree',
  ],
  [
    'a redeem script that is not the one spent',
    psbtOf([[spend('P2SH'), proof, ['04', stranger]]]),
    'a redeemScript that does not match',
  ],
  [
    'a redeem script where none belongs',
    psbtOf([[spend('P2WPKH'), proof, ['04', script.P2WPKH]]]),
    'a redeemScript that does not match',
  ],
  [
    'a witness script that is not the one spent',
    psbtOf([[spend('P2WSH'), proof, ['05', '51']]]),
    'a witnessScript that does not match',
  ],
  [
    'another internal key',
    psbtOf([[spend('P2TR'), proof, ['17', '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798']]]),
    'a tapInternalKey that does not match',
  ],
  ['a script tree', psbtOf([[spend('P2TR'), proof, ['18', '55'.repeat(32)]]]), 'a tapMerkleRoot that does not match'],
  [
    'a Taproot input next to one that does not say what it spends',
    psbtOf([[spend('P2TR'), proof], [{ vout: 3 }]]),
    'needs the spent output of every input',
  ],
  [
    'more outputs than inputs hold',
    psbtOf([[spend('P2WPKH'), proof]], [output(1001n, stranger)]),
    'spends more than its inputs hold',
  ],
  [
    'an amount beyond all bitcoins',
    psbtOf([[spend('P2WPKH'), proof]], [output(2_100_000_000_000_001n, stranger)]),
    'larger than the bitcoin supply',
  ],
  [
    'amounts that overflow 64 bits when summed',
    psbtOf([[spend('P2WPKH'), proof]], [output(2n ** 63n, stranger), output(2n ** 63n, stranger)]),
    'larger than the bitcoin supply',
  ],
  [
    'one output spent twice',
    psbtOf([
      [spend('P2WPKH'), proof],
      [spend('P2WPKH'), proof],
    ]),
    'spends an output twice',
  ],
  ['no outputs', psbtOf([[spend('P2WPKH'), proof]], []), 'no inputs or no outputs'],
  ['a scriptSig in the unsigned transaction', psbtOf([[{ ...spend('P2WPKH'), scriptSig: '51' }, proof]]), 'INVALID_TRANSACTION'],
  ['a record twice', psbtOf([[spend('P2WPKH'), proof, proof]]), 'the PSBT is not valid'],
  ['a record of bad length', psbtOf([[spend('P2WPKH'), proof, ['03', '01']]]), 'the PSBT is not valid'],
  ['an empty previous transaction', psbtOf([[spend('P2WPKH'), ['00', '']]]), 'the PSBT is not valid'],
  [
    'another magic',
    buildPsbt({ magic: '70736274fe', global: [['00', unsigned]], inputs: [[proof]], outputs: [[]] }),
    'the PSBT is not valid',
  ],
  ['no unsigned transaction', buildPsbt({ inputs: [[proof]], outputs: [[]] }), 'the PSBT is not valid'],
  [
    'PSBT version 2',
    buildPsbt({
      global: [
        ['02', '02000000'],
        ['04', '01'],
        ['05', '01'],
        ['fb', '02000000'],
      ],
      inputs: [[proof]],
      outputs: [[]],
    }),
    'the PSBT is not valid',
  ],
  ['an input map too few', buildPsbt({ global: [['00', unsigned]], inputs: [], outputs: [[]] }), 'INVALID_TRANSACTION'],
  [
    'an output map too many',
    buildPsbt({ global: [['00', unsigned]], inputs: [[proof]], outputs: [[], []] }),
    'has one map for each input and output',
  ],
  [
    'bytes after the end',
    buildPsbt({ global: [['00', unsigned]], inputs: [[proof]], outputs: [[]], trailing: '01' }),
    'the PSBT is not valid',
  ],
  [
    'a length in more bytes than it needs',
    psbtOf([[spend('P2WPKH'), proof]]).replace(/^70736274ff0100(..)/, '70736274ff0100fd$100'),
    'a length in more bytes than it needs',
  ],
  [
    'an outpoint of PSBT version 2',
    psbtOf([[spend('P2WPKH'), proof, ['0f', '05000000']]]),
    'a record that version 0 does not have',
  ],
  ['a record of PSBT version 2', psbtOf([[spend('P2WPKH'), proof, ['10', 'ffffffff']]]), 'a record that version 0 does not have'],
  [
    'an output record of PSBT version 2',
    buildPsbt({ global: [['00', unsigned]], inputs: [[proof]], outputs: [[['03', '8403000000000000']]] }),
    'a record that version 0 does not have',
  ],
  [
    'a second unsigned transaction under a longer key',
    buildPsbt({
      global: [
        ['00', unsigned],
        ['0001', unsigned],
      ],
      inputs: [[proof]],
      outputs: [[]],
    }),
    'a key that is too long',
  ],
  [
    'a second previous transaction under a longer key',
    psbtOf([[spend('P2WPKH'), proof, ['0000', previous]]]),
    'a key that is too long',
  ],
  ['a partial signature without a public key', psbtOf([[spend('P2WPKH'), proof, ['02', '30']]]), 'without a public key'],
  [
    'bytes after the previous transaction',
    psbtOf([[spend('P2WPKH'), ['00', `${previous}00`]]]),
    'bytes after the end of a previous transaction',
  ],
  [
    'bytes after a witness UTXO',
    psbtOf([[spend('P2WPKH'), ['01', `${output(1000n, script.P2WPKH)}00`]]]),
    'bytes after the end of a witness UTXO',
  ],
  [
    'a previous transaction with an unknown flag',
    psbtOf([[spend('P2WPKH'), ['00', withWitness.replace(/^(.{8})0001/, '$10002')]]]),
    'without inputs',
  ],
  ['a raw transaction', unsigned, 'the PSBT is not valid'],
  ['Base64', 'cHNidP8BAAo=', 'is not hex'],
  ['nothing', '', 'the PSBT is not valid'],
];

describe('D65: what is refused', () => {
  test.each(scriptKinds)('the builder makes a %s input that is taken as long as nothing is wrong with it', (kind) => {
    expect(parse(psbtOf([[spend(kind), proof]]))).toMatchObject({ fullyParsed: true, policy: { fee: 100n } });
  });

  test('a previous transaction is the same with its witnesses, and version 0 may be stated', () => {
    expect(parse(psbtOf([[spend('P2WPKH'), ['00', withWitness]]]))).toMatchObject({ fullyParsed: true, policy: { fee: 100n } });
    const stated = buildPsbt({
      global: [
        ['00', unsigned],
        ['fb', '00000000'],
      ],
      inputs: [[proof]],
      outputs: [[]],
    });
    expect(parse(stated).policy).toMatchObject({ fee: 100n });
  });

  test.each(refused)('%s', (_, psbt, message) => {
    const reason = refusal(() => parse(psbt));
    expect(reason).toMatch(/^INVALID_TRANSACTION: /);
    expect(reason).toContain(message);
  });

  const types = {
    '00000000': 'DEFAULT',
    '01000000': 'ALL',
    '02000000': 'NONE',
    '03000000': 'SINGLE',
    '81000000': 'ALL, anyone can pay',
    '82000000': 'NONE, anyone can pay',
    '83000000': 'SINGLE, anyone can pay',
    '01010000': 'one beyond a byte',
  };
  const cases = Object.entries(types).flatMap(([type, name]) => scriptKinds.map((kind) => [kind, name, type] as const));
  test.each(cases)('%s with sighash type %s', (kind, name, type) => {
    const psbt = psbtOf([[spend(kind), proof, sighash(type)]]);
    if (name === (kind === 'P2TR' ? 'DEFAULT' : 'ALL')) expect(parse(psbt).fullyParsed).toBe(true);
    else expect(refusal(() => parse(psbt))).toContain('asks for a sighash type other than');
  });

  test('a PSBT of a megabyte is refused before it is decoded', () => {
    expect(refusal(() => parse('00'.repeat(500_001)))).toContain('longer than 500000 bytes');
  });

  test('more inputs than can be hashed in good time are refused', () => {
    const inputs = Array.from({ length: 501 }, (_, vout) => [{ vout }, witnessUtxo(1000n, script.P2WPKH)] as const);
    expect(refusal(() => parse(psbtOf(inputs)))).toContain('more than 500 inputs');
  });

  test('a transaction that nodes would not relay is refused', () => {
    const outputs = Array.from({ length: 3300 }, () => output(1n, stranger));
    expect(refusal(() => parse(psbtOf([[spend('P2WPKH'), proof]], outputs)))).toContain('larger than nodes relay');
  });

  test('every cut of a PSBT is refused', () => {
    const whole = psbtOf([[spend('P2WPKH'), proof]]);
    for (let end = 0; end < whole.length; end += 2)
      expect(refusal(() => parse(whole.slice(0, end)))).toMatch(/^INVALID_TRANSACTION/);
  });

  test('signing twice is refused', () => {
    expect(
      refusal(() => parse(sign(parse(vector('every kind of script of one key, named by its id').unsignedTransaction)))),
    ).toContain('already signed');
  });

  test('the time for many inputs stays within bounds', () => {
    for (const kind of ['P2PKH', 'P2TR'] as const) {
      const paid = rawTransaction(
        [{ vout: 1 }],
        Array.from({ length: 100 }, () => output(1000n, script[kind])),
      );
      const inputs = Array.from(
        { length: 30 },
        (_, vout) => [{ txId: txIdOf(paid), vout }, ['00', paid]] as const satisfies readonly unknown[],
      );
      const requests = attempt(() => bitcoinTransaction.signingRequests(parse(psbtOf(inputs)), signerFor()));
      expect(requests).toHaveLength(inputs.length);
    }
  });
});

describe('D47: the signer', () => {
  const everything = vector('every kind of script of one key, named by its id').unsignedTransaction;

  test.each(scriptKinds)('named by a %s address, the key signs only inputs of that kind', (kind: ScriptKind) => {
    const { ownInputs } = parse(everything, `ADDRESS_FORMAT_BITCOIN_MAINNET_${kind}`);
    expect(ownInputs.map(({ index }) => index)).toEqual([scriptKinds.indexOf(kind)]);
  });

  test('named by its id or as a plain key, it signs all of its inputs', () => {
    for (const format of [undefined, 'ADDRESS_FORMAT_COMPRESSED', 'ADDRESS_FORMAT_UNCOMPRESSED'])
      expect(parse(everything, format).ownInputs).toHaveLength(5);
  });

  test.each([
    'ADDRESS_FORMAT_ETHEREUM',
    'ADDRESS_FORMAT_DOGE_MAINNET',
    'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PK',
    'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKHX',
  ])('named by %s, it is refused', (format) => {
    expect(refusal(() => parse(everything, format))).toContain('not a Bitcoin address');
  });

  test('the odd key of the same x, and any other key, own nothing but Taproot outputs of that x', () => {
    const odd = Uint8Array.of((publicKey[0] as number) ^ 1, ...publicKey.subarray(1));
    const read = (key: Uint8Array) =>
      bitcoinTransaction.parse(everything, { signer: { curve: 'CURVE_SECP256K1', publicKey: key }, interfaces: [] });
    // BIP-340 keys are x-only: both keys sign for the same Taproot output.
    expect(read(odd).ownInputs.map(({ script: { kind } }) => kind)).toEqual(['P2TR']);
    const other = hexToBytes('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');
    expect(refusal(() => read(other))).toContain('no input of the transaction');
  });

  test('a key of another curve, or bytes that are no key, are refused', () => {
    const read = (signer: Parameters<typeof bitcoinTransaction.parse>[1]['signer']) =>
      bitcoinTransaction.parse(everything, { signer, interfaces: [] });
    expect(refusal(() => read({ curve: 'CURVE_P256', publicKey }))).toMatch(/^INVALID_CURVE/);
    expect(refusal(() => read({ curve: 'CURVE_SECP256K1', publicKey: new Uint8Array(33) }))).toMatch(/^INVALID_PUBLIC_KEY/);
  });

  test('a transaction read for one signer is not signed for another', () => {
    const other = { ...signerFor(), publicKey: hexToBytes('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798') };
    expect(() => bitcoinTransaction.signingRequests(parse(everything), other)).toThrow('another signer');
    expect(() => bitcoinTransaction.assemble(parse(everything), other, [])).toThrow('another signer');
  });

  test('assembling takes one signature of 64 bytes for each request', () => {
    const parsed = parse(everything);
    const signature = (length: number) => ({ bytes: new Uint8Array(length).fill(1), recovery: 0 as const });
    expect(() => bitcoinTransaction.assemble(parsed, signerFor(), [signature(64)])).toThrow('expected 5 signatures');
    expect(() => bitcoinTransaction.assemble(parsed, signerFor(), new Array(5).fill(signature(65)))).toThrow('64 bytes');
  });
});
