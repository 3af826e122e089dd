import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { address as addresses, initEccLib, networks, Psbt, Transaction } from 'bitcoinjs-lib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSigningService } from '../../../test/support/signing-service.ts';
import { signPsbt, toCountersignSigner } from '../src/index.ts';

const network = networks.testnet;
const account = (purpose: number, kind: string) =>
  ({
    curve: 'CURVE_SECP256K1',
    path: `m/${purpose}'/1'/0'/0/0`,
    addressFormat: `ADDRESS_FORMAT_BITCOIN_TESTNET_${kind}`,
  }) as never;

const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** BIP-340: the point with this x and an even y. */
function pointOf(xOnly: Uint8Array) {
  try {
    return schnorr.utils.lift_x(number(xOnly));
  } catch {
    return undefined;
  }
}

/** BIP-341: the key of an output. */
function xOnlyPointAddTweak(xOnly: Uint8Array, tweak: Uint8Array) {
  const scalar = number(tweak);
  const point = pointOf(xOnly);
  if (point === undefined || scalar >= secp256k1.Point.Fn.ORDER) return null;
  const sum = scalar === 0n ? point : point.add(secp256k1.Point.BASE.multiply(scalar));
  if (sum.is0()) return null;
  return { parity: (sum.toAffine().y & 1n) === 0n ? (0 as const) : (1 as const), xOnlyPubkey: sum.toBytes(true).slice(1) };
}

describe('PSBTs of bitcoinjs-lib', () => {
  let service: Awaited<ReturnType<typeof startSigningService>>;
  beforeAll(async () => {
    initEccLib({ isXOnlyPoint: (point) => pointOf(point) !== undefined, xOnlyPointAddTweak });
    service = await startSigningService(account(84, 'P2WPKH'), account(86, 'P2TR'));
  });
  afterAll(() => service?.close());

  /** A payment from an address that has one coin. */
  function paymentFrom(from: string): { readonly psbt: Psbt; readonly previous: Transaction } {
    const script = addresses.toOutputScript(from, network);
    const previous = new Transaction();
    previous.addInput(new Uint8Array(32).fill(1), 0);
    previous.addOutput(script, 100_000n);
    const psbt = new Psbt({ network });
    const proof = script.length === 22 ? { nonWitnessUtxo: previous.toBuffer() } : {};
    psbt.addInput({ hash: previous.getId(), index: 0, witnessUtxo: { script, value: 100_000n }, ...proof });
    psbt.addOutput({ address: from, value: 99_000n });
    return { psbt, previous };
  }

  const ecdsa = (publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array) =>
    secp256k1.verify(signature, hash, publicKey, { prehash: false });

  test('a P2WPKH input is signed, and the library accepts it', async () => {
    const signWith = service.addresses[0] ?? '';
    const { psbt } = paymentFrom(signWith);
    await signPsbt(psbt, { client: service.client, signWith });
    expect(psbt.validateSignaturesOfInput(0, ecdsa)).toBe(true);
    expect(psbt.finalizeAllInputs().extractTransaction().ins[0]?.witness).toHaveLength(2);
  });

  test('a P2TR input is signed by its key, and the library accepts it', async () => {
    const signWith = service.addresses[1] ?? '';
    const { psbt } = paymentFrom(signWith);
    await signPsbt(psbt, { client: service.client, signWith });
    const valid = (publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array) => schnorr.verify(signature, hash, publicKey);
    expect(psbt.validateSignaturesOfInput(0, valid)).toBe(true);
    expect(psbt.finalizeAllInputs().extractTransaction().ins[0]?.witness).toHaveLength(1);
  });

  async function publicKeyOf(signWith: string): Promise<Uint8Array> {
    const { accounts } = await service.client.listWalletAccounts({ walletId: service.walletId });
    return Buffer.from(accounts.find(({ address }) => address === signWith)?.publicKey ?? '', 'hex');
  }

  test('a signer of digests works with signInputAsync', async () => {
    const signWith = service.addresses[0] ?? '';
    const { psbt } = paymentFrom(signWith);
    const publicKey = await publicKeyOf(signWith);
    await psbt.signInputAsync(0, toCountersignSigner({ client: service.client, signWith, publicKey }));
    expect(psbt.validateSignaturesOfInput(0, ecdsa)).toBe(true);
  });

  test('D472: with keys that sign no hashes, PSBTs are signed and digests are not', async () => {
    const client = await service.guarded();
    for (const signWith of service.addresses) {
      const { psbt } = paymentFrom(signWith);
      await signPsbt(psbt, { client, signWith });
      expect(psbt.finalizeAllInputs().extractTransaction().ins).toHaveLength(1);
    }
    const [signWith = ''] = service.addresses;
    const signer = toCountersignSigner({ client, signWith, publicKey: await publicKeyOf(signWith) });
    await expect(paymentFrom(signWith).psbt.signInputAsync(0, signer)).rejects.toThrow(/sufficient permissions/);
  });
});
