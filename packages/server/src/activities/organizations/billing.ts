import { ServiceError } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';

/** Rejects billing in a sub-organization: the operator bills its parent. */
export function requireBilled({ profile }: Snapshot): void {
  if (profile.parentId === null) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'A sub-organization has no billing. Send this request to its parent organization.',
  );
}
