import { type AuditedBodies, type AuditedKind, auditedKindOf, PastOrganization } from '@countersign/judgement';
import { AuditError } from '../audit-error.ts';
import type { LocalChange } from '../format/lines.ts';

export type Bodies = AuditedBodies;
export type Kind = AuditedKind;

/** The organization of an audit file at one moment of its history. Throws AuditError where the file contradicts itself. */
export class State extends PastOrganization {
  constructor(id: string) {
    super(id, (what) => new AuditError(what));
  }
}

/** The kind that a change is of. Throws AuditError for one that this release does not know. */
export function kindOf(change: LocalChange): Kind {
  const kind = auditedKindOf(change);
  if (kind === undefined) throw new AuditError(`not modelled: a change of ${'put' in change ? change.put : change.drop}`);
  return kind;
}
