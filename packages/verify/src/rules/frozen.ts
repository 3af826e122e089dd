import { AuditError } from '../audit-error.ts';
import type { LocalChange } from '../format/lines.ts';
import type { State } from '../state/state.ts';

const resources: readonly string[] = ['wallet', 'walletAccount', 'privateKey'];

/**
 * Throws AuditError if a frozen wallet, one of its accounts or a frozen private key changes.
 * SECURITY: D302: a full root quorum decides without a subject, so the decision alone does not show what it changes.
 */
export function requireUnfrozen(state: State, changes: readonly LocalChange[]): void {
  const frozen = state.all('freeze');
  if (frozen.size === 0) return;
  for (const change of changes) {
    const kind = 'put' in change ? change.put : change.drop;
    if (!resources.includes(kind)) continue;
    const account = 'put' in change ? (change.body as { readonly walletId?: string }) : state.get('walletAccount', change.id);
    const id = [change.id, account?.walletId ?? ''].find((each) => frozen.has(each));
    if (id !== undefined) throw new AuditError(`it changed ${kind} ${change.id}, while ${id} was frozen`);
  }
}
