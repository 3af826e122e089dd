import type { StampedRequest } from '@countersign/client';
import type { Prover } from '../../review/proof/prove-record.ts';
import type { Knowledge, Signer } from '../../review/types.ts';
import { type EthereumPayment, readReceiver, sendRequest, signRequest } from './chains/ethereum.ts';
import type { CheckedRow } from './check-rows.ts';
import { isUnbuildable } from './payment.ts';
import { type Preview, previewOf } from './preview.ts';
import { namesOfRows } from './row-names.ts';

/** A row with its request, built and decoded in this browser, or why it cannot be submitted. */
export interface PreparedRow {
  readonly row: CheckedRow;
  readonly preview?: Preview;
  /** Undefined if the service sends the payment. */
  readonly nonce?: bigint | undefined;
  readonly refused?: NonNullable<Preview['problem']> | 'unprovenContact' | { readonly text: string };
}

interface Given {
  readonly organizationId: string;
  /** The nonce of the first payment. Undefined if the service sends the payments. */
  readonly firstNonce: bigint | undefined;
  /** Lines that are not submitted, and so take no nonce. */
  readonly leftOut: ReadonlySet<number>;
  /** Nonces of lines that were submitted. */
  readonly used: ReadonlyMap<number, bigint>;
  readonly signer: Signer;
  readonly knowledge: Knowledge;
  readonly prover: Pick<Prover, 'record'>;
}

/**
 * Builds and decodes the request of every row that is right.
 * SECURITY: D1134: a line that was submitted keeps its nonce, and no other line gets it. Of two payments with one nonce, only one is executed.
 */
export async function prepareRows(rows: readonly CheckedRow[], given: Given): Promise<readonly PreparedRow[]> {
  const prepared: PreparedRow[] = [];
  const names = namesOfRows(rows);
  let nonce = given.firstNonce;
  for (const each of given.used.values()) if (nonce !== undefined && each >= nonce) nonce = each + 1n;
  for (const row of rows) {
    if (row.payment === undefined) {
      prepared.push({ row });
      continue;
    }
    const name = names.get(row.line) as string;
    const used = given.used.get(row.line);
    prepared.push(await prepareRow(row, row.payment, { name, nonce: used ?? nonce }, given));
    if (nonce !== undefined && used === undefined && !given.leftOut.has(row.line)) nonce += 1n;
  }
  return prepared;
}

async function prepareRow(
  row: CheckedRow,
  payment: EthereumPayment,
  { name, nonce }: { readonly name: string; readonly nonce: bigint | undefined },
  given: Given,
): Promise<PreparedRow> {
  const { organizationId, signer, knowledge, prover } = given;
  try {
    const built = nonce === undefined ? sendRequest(payment, name) : signRequest(payment, nonce);
    const request: StampedRequest = { ...built, organizationId, ...(row.reference !== '' && { reference: row.reference }) };
    const preview = await previewOf(payment, request, signer, knowledge, prover);
    if (preview.problem !== undefined) return { row, preview, refused: preview.problem };
    return isNamed(row, payment, preview) ? { row, preview, nonce } : { row, preview, refused: 'unprovenContact' };
  } catch (error) {
    if (isUnbuildable(error)) return { row, refused: { text: error.message } };
    throw error;
  }
}

/** SECURITY: D965: a row that names a contact is paid only if the log proves that the address is the contact's. */
function isNamed({ recipient }: CheckedRow, { to }: EthereumPayment, { names }: Preview): boolean {
  if (readReceiver(recipient) !== undefined) return true;
  return names.some(
    ({ kind, name, address, proof }) =>
      kind === 'contact' && proof !== undefined && name === recipient && address.toLowerCase() === to.toLowerCase(),
  );
}
