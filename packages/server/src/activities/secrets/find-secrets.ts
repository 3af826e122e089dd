import type { JudgedSecret } from '@countersign/judgement';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import { notFound, requireDistinct } from '../../wire/refuse.ts';

/** The secrets with these ids. Throws for an unknown id and for one that comes twice. `fieldOf` names the field of an id, or of all. */
export function findSecrets(
  { records }: Snapshot,
  ids: readonly string[],
  fieldOf: (index?: number) => string,
): readonly JudgedSecret[] {
  requireDistinct(ids, 'secret', fieldOf());
  return ids.map((id, index) => {
    const body = records.secret.get(id);
    if (body === undefined) throw notFound('secret', fieldOf(index));
    return { id, body };
  });
}
