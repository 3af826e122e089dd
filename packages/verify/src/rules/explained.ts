import { AuditError } from '../audit-error.ts';
import type { LocalChange } from '../format/lines.ts';
import { kindOf, type State } from '../state/state.ts';
import type { Change } from './rule.ts';

/** Throws AuditError for the first change that is not explained. The replaced value is read from the state before all changes. */
export function explained(state: State, changes: readonly LocalChange[], isExplained: (change: Change) => boolean): void {
  for (const change of changes) {
    const kind = kindOf(change);
    const { id } = change;
    const after = 'put' in change ? change.body : undefined;
    const seen = { kind, id, before: state.get(kind, id), after } as unknown as Change;
    if (!isExplained(seen)) throw new AuditError(`it changed ${kind} ${id}, which its parameters do not explain`);
  }
}
