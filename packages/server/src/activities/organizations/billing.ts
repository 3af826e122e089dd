import { ServiceError } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot.ts';

/** Refuses billing in a sub-organization: its parent is who the operator deals with. */
export function requireBilled({ profile }: Snapshot): void {
  if (profile.parentId === null) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'A sub-organization has no billing of its own. Send this to its parent organization.',
  );
}
