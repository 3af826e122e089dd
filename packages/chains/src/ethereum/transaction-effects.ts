import type { ParseContext } from '../transaction.ts';
import { type Delegation, reportDelegation } from './authorization.ts';
import type { decodeCall } from './call-data.ts';
import { coinOf } from './calls/assets.ts';
import { Findings } from './calls/findings.ts';
import { CallReader } from './calls/read-call.ts';
import { chargesForData } from './networks.ts';
import type { TransactionEnvelope } from './transaction-envelope.ts';

type Fields = TransactionEnvelope['fields'];

/** EIP-4844: the gas of one blob. A blob has as many bytes. */
const gasPerBlob = 131_072n;

/** A fee that a chain charges in addition to gas. SECURITY: no field of a transaction limits it, so the sentence must show it. */
export function feeBesides(chainId: bigint | undefined): string | undefined {
  return chainId !== undefined && chargesForData(chainId) ? 'plus a fee for data that the chain sets' : undefined;
}

/**
 * The most that a transaction can cost: every unit of gas at the highest price that it offers. `feeBesides` describes fees that are
 * not included.
 */
export function greatestFee({ gas, gasPrice, maxFeePerGas, maxFeePerBlobGas, blobVersionedHashes }: Fields): bigint {
  const blobs = BigInt(blobVersionedHashes?.length ?? 0) * gasPerBlob * (maxFeePerBlobGas ?? 0n);
  return gas * (gasPrice ?? maxFeePerGas ?? 0n) + blobs;
}

/** Everything that a transaction does. `call` is what a stored interface made of its data. */
export function transactionEffects(
  { fields }: TransactionEnvelope,
  from: string,
  call: ReturnType<typeof decodeCall> | undefined,
  delegations: readonly Delegation[],
  context: ParseContext,
): Findings {
  const found = new Findings();
  const { chainId, to, value, data, blobVersionedHashes } = fields;
  if (chainId === undefined) {
    found.add({ kind: 'REPLAYABLE', what: 'the transaction has no chain id, so anybody can send it again on every chain' });
  }
  if (to === undefined) {
    const paid = value === 0n ? {} : { asset: coinOf(chainId), amount: value };
    found.add({ kind: 'CREATE', what: 'CONTRACT', from, ...paid });
    found.add({ kind: 'UNKNOWN', what: 'code of the new contract', bytes: data.length });
    found.doubt('The code of a new contract was not decoded.');
  } else {
    new CallReader(chainId, context, found).read({ from, to, value, data }, call);
  }
  if (blobVersionedHashes !== undefined) {
    const blobs = blobVersionedHashes.length;
    found.add({ kind: 'UNKNOWN', what: 'content of blobs', bytes: blobs * Number(gasPerBlob) });
    found.doubt('The content of blobs is not part of the transaction; only their hashes are.');
  }
  for (const [index, delegation] of delegations.entries()) reportDelegation(delegation, index, found);
  found.add({ kind: 'FEE', asset: coinOf(chainId), amount: greatestFee(fields), from });
  return found;
}
