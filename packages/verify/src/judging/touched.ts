import type { NotedSubject } from '@countersign/judgement';
import { must } from '../fault.ts';
import type { LocalChange } from '../format/lines.ts';
import type { State } from '../state/state.ts';
import { sameJson } from '../text.ts';

/** Kinds of record that are ways to act as a user. */
const credentials: readonly string[] = ['apiKey', 'authenticator', 'oauthProvider', 'mfaPolicy'];

/**
 * Compares what the service noted that a request touches with what it then changed.
 * SECURITY: which users a request touches decides whether a policy may allow it. Whoever has their credentials, name, address or tags
 * changed must have been noted, but for users that the same activity makes or ends.
 */
export function requireNoted(changes: readonly LocalChange[], state: State, noted: NotedSubject | undefined): void {
  const isTouched = (userId: string) => (noted?.touches ?? []).some((touch) => 'userId' in touch && touch.userId === userId);
  const own = new Set(
    changes.flatMap((change) => (kindName(change) === 'user' && isMadeOrEnded(change, state) ? [change.id] : [])),
  );
  for (const change of changes) {
    const userId = touchedUser(change, state);
    if (userId === undefined || own.has(userId)) continue;
    must(isTouched(userId), `it changed what user ${userId} can act with or is trusted for, and the decision did not say so`);
  }
}

function kindName(change: LocalChange): string {
  return 'put' in change ? change.put : change.drop;
}

function isMadeOrEnded(change: LocalChange, state: State): boolean {
  return 'drop' in change || state.get('user', change.id) === undefined;
}

function touchedUser(change: LocalChange, state: State): string | undefined {
  const kind = kindName(change);
  // A session that ends with something else takes nothing from its user.
  if (kind === 'apiKey' && 'drop' in change) return undefined;
  // So does one that the user opened by their own proof, which is checked when the activity is carried out.
  if (kind === 'apiKey' && 'put' in change && isOpenedByProof(change.body)) return undefined;
  if (credentials.includes(kind)) {
    const before = state.get(kind as 'apiKey', change.id)?.userId;
    return 'put' in change ? String(change.body.userId) : before;
  }
  if (kind !== 'user' || !('put' in change)) return undefined;
  const { updatedAtMs: _, userTags: __, ...before } = state.get('user', change.id) ?? { userTags: [], updatedAtMs: 0 };
  const { updatedAtMs: ___, userTags: ____, ...after } = change.body as Record<string, unknown>;
  return sameJson(before, after) ? undefined : change.id;
}

function isOpenedByProof({ origin }: { readonly [member: string]: unknown }): boolean {
  return ['EMAIL', 'SMS', 'OAUTH'].includes(String((origin as { readonly method?: unknown } | undefined)?.method));
}
