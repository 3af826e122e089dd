import { isSession, type StoredSubject, type Touch } from '@countersign/judgement';
import { must } from '../audit-error.ts';
import type { LocalChange } from '../format/lines.ts';
import { difference } from '../rules/rule.ts';
import type { State } from '../state/state.ts';
import { sameJson } from '../text.ts';

/** The name of each kind of record that lets its holder act as a user. */
const credentials: Readonly<Record<string, Touch['what']>> = {
  apiKey: 'API_KEY',
  authenticator: 'PASSKEY',
  oauthProvider: 'IDENTITY',
  mfaPolicy: 'MFA',
};

/** Activities whose body holds the user's own proof: a token or a code. */
const proving: readonly string[] = ['oauth', 'oauthLogin', 'otpAuth', 'otpLogin'];
/** Activities that open sessions by such a proof, or by a key that they mail to the user. */
const opening: readonly string[] = [...proving, 'emailAuth', 'initUserEmailRecovery'];

interface OneTimeParams {
  readonly invitationId?: unknown;
  readonly userId?: unknown;
}

/** The object that a request names, for the activities of one-time keys. */
const objects: Readonly<Record<string, (params: OneTimeParams) => unknown>> = {
  acceptInvitation: ({ invitationId }) => invitationId,
  recoverUser: ({ userId }) => userId,
  exchangeOneTimeKey: ({ invitationId, userId }) => invitationId ?? userId,
};

/**
 * Checks what the service stored against the request itself.
 * SECURITY: D129: a touch that is proven needs no authority, and a one-time key is good for one object. Neither is for the service to
 * say where the request says otherwise.
 */
export function requirePlausible(name: string, params: unknown, stored: StoredSubject | undefined): void {
  const isProven = (stored?.touches ?? []).some((touch) => 'proven' in touch && touch.proven === true);
  must(!isProven || proving.includes(name), 'the decision depends on a proof of the user that the request does not contain');
  const { oneTimeSubjectId } = stored ?? {};
  if (oneTimeSubjectId === undefined) return;
  const given = (params ?? {}) as OneTimeParams;
  must(oneTimeSubjectId === objects[name]?.(given), 'the decision is for another object than the request');
}

/**
 * Compares what the service stored that a request touches with what it then changed.
 * SECURITY: which users a request touches, and in what, decides whether a policy may allow it. A user whose credentials, name,
 * address or tags changed must have been stored, but for users that the same activity makes or ends.
 */
export function requireNoted(
  name: string,
  changes: readonly LocalChange[],
  state: State,
  stored: StoredSubject | undefined,
): void {
  const isTouched = ({ userId, what }: Touched) =>
    (stored?.touches ?? []).some(
      (touch) => 'userId' in touch && touch.userId === userId && (what === undefined || touch.what === what),
    );
  const own = new Set(
    changes.flatMap((change) => (kindName(change) === 'user' && isMadeOrEnded(change, state) ? [change.id] : [])),
  );
  for (const change of changes) {
    for (const touched of touchedBy(name, change, state)) {
      if (own.has(touched.userId)) continue;
      must(
        isTouched(touched),
        `it changed credentials or trusted attributes of user ${touched.userId} that the decision does not list`,
      );
    }
  }
}

/** A user who is touched, and in what. Undefined for a name or a contact. */
interface Touched {
  readonly userId: string;
  readonly what?: Touch['what'] | undefined;
}

function kindName(change: LocalChange): string {
  return 'put' in change ? change.put : change.drop;
}

function isMadeOrEnded(change: LocalChange, state: State): boolean {
  return 'drop' in change || state.get('user', change.id) === undefined;
}

function touchedBy(name: string, change: LocalChange, state: State): readonly Touched[] {
  const kind = kindName(change);
  const before = kind in credentials ? state.get(kind as 'apiKey', change.id) : undefined;
  if (kind === 'apiKey' && 'drop' in change) {
    // A credential that expires anyway takes nothing from its user.
    return before === undefined || before.expirationSeconds !== undefined ? [] : [{ userId: before.userId, what: 'API_KEY' }];
  }
  // A session that the user opens by their own proof, which is checked during execution, takes nothing either.
  if (kind === 'apiKey' && 'put' in change && opening.includes(name) && isOpenedByProof(change.body)) return [];
  if (kind in credentials) {
    const userId = 'put' in change ? String(change.body.userId) : before?.userId;
    const isOpened = kind === 'apiKey' && 'put' in change && isSession({ type: String(change.body.type) });
    return userId === undefined ? [] : [{ userId, what: isOpened ? 'SESSION' : credentials[kind] }];
  }
  return kind === 'user' && 'put' in change ? touchedOf(change.id, change.body, state) : [];
}

/** What a change of a user's record touches. A tag that is made with it says nothing to any policy yet. */
function touchedOf(userId: string, body: { readonly [member: string]: unknown }, state: State): readonly Touched[] {
  const { updatedAtMs: _, userTags: tagsBefore, ...before } = state.get('user', userId) ?? { userTags: [], updatedAtMs: 0 };
  const { updatedAtMs: __, userTags: tagsAfter, ...after } = body;
  const isRetagged = difference(tagsBefore, tagsAfter as readonly string[]).some(
    (tag) => state.get('userTag', tag) !== undefined,
  );
  return [...(sameJson(before, after) ? [] : [{ userId }]), ...(isRetagged ? [{ userId, what: 'TAGS' as const }] : [])];
}

function isOpenedByProof({ origin }: { readonly [member: string]: unknown }): boolean {
  return ['EMAIL', 'SMS', 'OAUTH'].includes(String((origin as { readonly method?: unknown } | undefined)?.method));
}
