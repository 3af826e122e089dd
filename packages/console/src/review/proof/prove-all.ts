import { isForbidden } from '../../data/errors.ts';
import type { NamedRecord, Prover, RecordProof } from './prove-record.ts';

/** The proof of the first record if all of them are proven. A person who may not read the log has no proof. */
export async function proveAll(
  records: readonly NamedRecord[],
  prover: Pick<Prover, 'record'>,
): Promise<RecordProof | undefined> {
  const proofs = await Promise.all(
    records.map((record) =>
      prover.record(record).catch((error: unknown) => {
        if (isForbidden(error)) return undefined;
        throw error;
      }),
    ),
  );
  return proofs.every((proof) => proof !== undefined) ? proofs[0] : undefined;
}
