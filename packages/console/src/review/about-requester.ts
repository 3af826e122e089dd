import type { ListedActivity } from '@countersign/client';
import { quotedReference } from '@countersign/contract';
import { ago, toMs } from '../data/time.ts';
import { words } from '../words/index.ts';
import { type Finding, notable } from './finding.ts';
import type { Person } from './person.ts';
import { voterName } from './person-name.ts';

const texts = words.approvals.unusualWords;

/** Fewer earlier requests say nothing about the habits of a person. */
const ENOUGH = 5;
/** Hours between a request and the nearest usual hour. */
const FAR_HOURS = 4;
const NEW_MS = 7 * 86_400_000;

interface Given {
  readonly activity: ListedActivity;
  readonly past: readonly ListedActivity[];
}

type Vote = ListedActivity['votes'][number];

/** An unusual hour, or a credential that is new. */
export function aboutRequester({ activity, past }: Given, people: readonly Person[]): readonly Finding[] {
  const [vote] = activity.votes;
  if (vote === undefined) return [];
  const own = past.filter(({ id, votes }) => id !== activity.id && votes[0]?.userId === vote.userId);
  return [...aboutHour(activity, own), ...aboutCredential(activity, vote, { own, who: voterName(people, vote) })];
}

function aboutHour({ createdAt }: ListedActivity, own: readonly ListedActivity[]): readonly Finding[] {
  if (own.length < ENOUGH) return [];
  const hourOf = (at: ListedActivity['createdAt']) => new Date(toMs(at)).getHours();
  const hour = hourOf(createdAt);
  const usual = own.map((each) => hourOf(each.createdAt));
  const distance = (other: number) => Math.min(Math.abs(hour - other), 24 - Math.abs(hour - other));
  if (usual.some((other) => distance(other) < FAR_HOURS)) return [];
  const time = new Date(toMs(createdAt)).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hour12: false });
  return [
    notable(
      texts.unusualHour(
        time,
        own.length,
        [...new Set(usual)].sort((a, b) => a - b),
      ),
    ),
  ];
}

/** SECURITY: D806: a thief requests with a credential that was added to the account of another person. */
function aboutCredential(
  { createdAt }: ListedActivity,
  vote: Vote,
  { own, who }: { readonly own: readonly ListedActivity[]; readonly who: string },
): readonly Finding[] {
  const credentials = [
    ...vote.user.authenticators.map((each) => ({ ...each, name: each.authenticatorName, key: each.credentialId })),
    ...vote.user.apiKeys.map((each) => ({ ...each, name: each.apiKeyName, key: each.credential.publicKey })),
  ];
  const used = credentials.find(({ key }) => key === keyOf(vote));
  const isOldest = used !== undefined && credentials.every((each) => toMs(each.createdAt) >= toMs(used.createdAt));
  if (used !== undefined && !isOldest && toMs(createdAt) - toMs(used.createdAt) < NEW_MS)
    return [notable(texts.newCredential(who, quotedReference(used.name), ago(used.createdAt)))];
  const isUsual = own.length < ENOUGH || own.some(({ votes }) => votes[0] !== undefined && keyOf(votes[0]) === keyOf(vote));
  return isUsual ? [] : [notable(texts.otherCredential(who, used && quotedReference(used.name), own.length))];
}

/** The credential id of a passkey, or the public key of an API key. */
function keyOf({ scheme, signature, publicKey }: Vote): string {
  if (scheme !== 'SIGNATURE_SCHEME_TK_WEBAUTHN') return publicKey;
  try {
    const json = atob(signature.replaceAll('-', '+').replaceAll('_', '/'));
    return String((JSON.parse(json) as { credentialId?: unknown }).credentialId ?? '');
  } catch {
    // Not a stamp of a passkey.
    return '';
  }
}
