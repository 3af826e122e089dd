import type { PolicyValue } from '@countersign/policy';
import type { Snapshot } from '../organizations/snapshot.ts';

/** `contacts` as policies see it: all addresses, and those of each tag. The organization keeps no contacts yet, so it is empty. */
export function contactsOf(_organization: Snapshot): PolicyValue {
  return { all: [], tagged: new Map() };
}
