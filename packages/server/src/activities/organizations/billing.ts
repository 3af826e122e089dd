import { ServiceError } from '@countersign/contract';
import type { Snapshot } from '../../organizations/snapshot.ts';

/** Refuses billing in a sub-organization: its parent is who the operator deals with. */
export function requireBilled({ organization }: Snapshot): void {
  if (organization.parentId === null) return;
  throw new ServiceError(
    'PRECONDITION_FAILED',
    'A sub-organization has no billing of its own. Send this to its parent organization.',
  );
}
