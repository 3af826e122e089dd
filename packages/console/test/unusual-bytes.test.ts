import { addressFormats, bitcoinPayment, encodeFeeMarketTransaction } from '@countersign/chains';
import type { ListedActivity } from '@countersign/client';
import type { EffectShape } from '@countersign/contract';
import { hexToBytes } from '@noble/hashes/utils.js';
import { RawTx } from '@scure/btc-signer';
import { describe, expect, test } from 'vitest';
import { MOST_RATE } from '../src/data/highest-fees.ts';
import { ethereumPayments } from '../src/pages/send/chains/ethereum.ts';
import { emptyDraft } from '../src/pages/send/draft.ts';
import { riskOf } from '../src/review/finding.ts';
import { readSigning } from '../src/review/read-request.ts';
import type { NameClaim, Signer } from '../src/review/types.ts';
import { unusual } from '../src/review/unusual.ts';

const knowledge = { contacts: [], tokens: [], interfaces: [] };
const activity = { type: '', createdAt: { seconds: '1', nanos: '0' }, votes: [] } as unknown as ListedActivity;

/** The findings about a transaction to contacts. */
function findingsOf(type: string, unsignedTransaction: string, signer: Signer, payments: readonly EffectShape[] = []) {
  const request = { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', organizationId: 'o', parameters: { type, unsignedTransaction } };
  const decoded = readSigning(request, signer, knowledge);
  if (decoded === undefined) throw new Error('not read');
  expect(decoded.fullyParsed).toBe(true);
  const names = decoded.effects.flatMap(({ to }): NameClaim[] => {
    const proof = { activityId: 'a', userName: 'Ann', atMs: 1 };
    return to === undefined ? [] : [{ kind: 'contact', name: 'Acme', address: to, proof }];
  });
  const check = { state: 'read', request, signer, reading: { ...decoded, names, agrees: true } } as const;
  return unusual(check, { activity, knowledge, past: [], open: [], proven: { payments, isAltered: false } });
}

const publicKey = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const secp256k1 = (addressFormat: string): Signer => ({ curve: 'CURVE_SECP256K1', publicKey, addressFormat });

describe('findings about decoded transactions', () => {
  test('D1100: a SOL account for the program of a stranger is not usual, with one signer', () => {
    const bytes = (value: number, length: number) => {
      const found = new Uint8Array(length);
      new DataView(found.buffer).setUint32(0, value, true);
      return found;
    };
    const key = (fill: number) => new Uint8Array(32).fill(fill);
    const lamports = new Uint8Array(8);
    new DataView(lamports.buffer).setBigUint64(0, 10n ** 15n, true);
    // https://docs.rs/solana-system-interface SystemInstruction::CreateAccountWithSeed
    const data = [...bytes(3, 4), ...key(5), ...bytes(1, 8), 0x61, ...lamports, ...bytes(0, 8), ...key(66)];
    const keys = [...key(5), ...key(77), ...key(0)];
    const message = [1, 0, 1, 3, ...keys, ...key(9), 1, 2, 2, 0, 1, data.length, ...data];
    const signer: Signer = {
      ...{ curve: 'CURVE_ED25519', publicKey: Buffer.from(key(5)).toString('hex'), addressFormat: 'ADDRESS_FORMAT_SOLANA' },
    };
    const unsigned = Buffer.from([1, ...new Uint8Array(64), ...message]).toString('hex');
    const found = findingsOf('TRANSACTION_TYPE_SOLANA', unsigned, signer);
    expect(riskOf(found)).toBe('high');
    expect(found[0]).toMatchObject({
      isDeliberate: true,
      text: expect.stringMatching(/^Puts 1,000,000 SOL into the new account/),
    });
  });

  const to = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
  const paid = (id: string, receiver: string): EffectShape => ({
    ...{ kind: 'TRANSFER', to: receiver, amount: `${10n ** 20n}`, asset: { id, kind: 'COIN' } },
  });

  test('D1101: a payment of 1 wei with a fee of 1,000 ETH needs a second step', () => {
    const wei = (maxFeePerGas: bigint, gas: bigint) =>
      encodeFeeMarketTransaction({
        ...{ chainId: 1n, nonce: 1n, maxPriorityFeePerGas: 1n, maxFeePerGas, gas, to, value: 1n, data: '0x' },
      });
    const found = (transaction: string) =>
      findingsOf('TRANSACTION_TYPE_ETHEREUM', transaction, secp256k1('ADDRESS_FORMAT_ETHEREUM'), [
        paid('eip155:1/slip44:60', to),
      ]);
    expect(found(wei(10n ** 15n, 1_000_000n))).toMatchObject([
      { isDeliberate: true, text: expect.stringContaining('1,000 ETH') },
    ]);
    expect(found(wei(30n * 10n ** 9n, 60_000n))).toEqual([]);
  });

  test('D1101: the form pays at most the fee that approvers find usual', () => {
    const asset = { id: 'eip155:1/slip44:60', symbol: 'ETH', decimals: 18 };
    const feesOf = (gasLimit: string) =>
      ethereumPayments.feesOf({ ...emptyDraft, speed: 'OWN', maxFee: '500', priorityFee: '1', gasLimit }, asset, undefined);
    expect(feesOf('200000')).toBeDefined();
    expect(feesOf('200001')).toBeUndefined();
  });

  test('D1101: the fee of a Bitcoin payment is limited by its size', () => {
    const signer = secp256k1('ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH');
    const id = 'bip122:000000000019d6689c085ae165831e93/slip44:0';
    const receiver = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
    const script = hexToBytes('0014751e76e8199196d454941c45d1b3a323f1433bd6');
    const input = { txid: new Uint8Array(32).fill(1), index: 0, finalScriptSig: new Uint8Array(), sequence: 0 };
    const coins = { version: 2, segwitFlag: false, inputs: [input], outputs: [{ amount: 500_000_000n, script }], lockTime: 0 };
    const from = addressFormats.ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH.encode(hexToBytes(publicKey), 'CURVE_SECP256K1');
    const found = (satoshisPerKilobyte: bigint) => {
      const { psbt } = bitcoinPayment(
        { from, to: receiver, asset: id, decimals: 8, amount: 1_000_000n },
        {
          signer: { ...signer, publicKey: hexToBytes(publicKey) } as never,
          previous: [Buffer.from(RawTx.encode(coins)).toString('hex')],
          satoshisPerKilobyte,
        },
      );
      return findingsOf('TRANSACTION_TYPE_BITCOIN', psbt, signer, [paid(id, receiver)]);
    };
    expect(found(MOST_RATE)).toEqual([]);
    expect(found(2n * MOST_RATE)).toMatchObject([
      { isDeliberate: true, text: expect.stringMatching(/^The network fee, at most/) },
    ]);
  });
});
