import { createHash } from 'node:crypto';
import { output, psbtOf, rawTransaction, txIdOf } from '../../../packages/chains/test/bitcoin/psbt-builder.ts';
import type { Caller } from '../caller.ts';
import { privateKeyParams } from '../world.ts';

/** EIP-712 typed data that is a list of empty strings: 3 bytes of JSON for each hash. */
export function emptyStrings(count: number): string {
  return JSON.stringify({
    types: { EIP712Domain: [], List: [{ name: 'texts', type: 'string[]' }] },
    primaryType: 'List',
    domain: {},
    message: { texts: Array.from({ length: count }, () => '') },
  });
}

/** An ABI with as many functions as fit into so many characters. */
export function largeAbi(characters: number): string {
  const entry = (at: number) => ({
    type: 'function',
    name: `f${at}`,
    inputs: [{ name: 'a', type: 'uint256' }],
    outputs: [],
    stateMutability: 'view',
  });
  const count = Math.floor(characters / (JSON.stringify(entry(10_000)).length + 1));
  return JSON.stringify(Array.from({ length: count }, (_, at) => entry(10_000 + at)));
}

/** An unsigned Bitcoin transaction with legacy inputs of a new key, each with its previous transaction, and outputs to other scripts. */
export async function legacyPsbt(root: Caller, inputs: number, outputs: number): Promise<object> {
  const format = 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH';
  const { privateKeys } = await root.result('createPrivateKeys', {
    privateKeys: [privateKeyParams('CURVE_SECP256K1', [format])],
  });
  const { privateKeyId, addresses } = privateKeys[0];
  const { privateKey } = await root.data('getPrivateKey', { privateKeyId });
  const digest = createHash('ripemd160').update(createHash('sha256').update(Buffer.from(privateKey.publicKey, 'hex')).digest());
  const own = `76a914${digest.digest('hex')}88ac`;
  const spent = Array.from({ length: inputs }, (_, at) =>
    rawTransaction([{ txId: hex(at + 1, 64), vout: 0 }], [output(100_000n, own)]),
  );
  const psbt = psbtOf(
    spent.map((previous) => [{ txId: txIdOf(previous), vout: 0 }, ['00', previous]]),
    Array.from({ length: outputs }, (_, at) => output(10n, `0014${hex(at + 1, 40)}`)),
  );
  return { signWith: addresses[0].address, unsignedTransaction: psbt, type: 'TRANSACTION_TYPE_BITCOIN' };
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
