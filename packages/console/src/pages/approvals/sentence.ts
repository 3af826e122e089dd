import type { ListedActivity } from '@countersign/client';
import { quotedReference } from '@countersign/contract';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { typeLabel } from '../../review/type-label.ts';
import type { Check, KeyClaim } from '../../review/types.ts';
import { words } from '../../words/index.ts';

/**
 * One-sentence description of a request.
 * SECURITY: for a signature, only the sentence that this browser decoded from the stamped bytes, never the service’s sentence.
 */
export function sentenceFor({ type }: ListedActivity, check: Check | undefined): string {
  if (check?.state === 'read') return escapeInvisible(check.reading.sentence);
  if (check?.state === 'mismatch') return words.approvals.mismatchTitle;
  if (check === undefined || !('request' in check)) return typeLabel(type);
  const { parameters } = check.request;
  const keys = check.state === 'plain' ? check.keys : [];
  if (freezing.test(type)) return freezeSentence(type, parameters, keys);
  const named = subjectOf(parameters);
  if (named !== undefined) return escapeInvisible(`${typeLabel(type)} ${quotedReference(named)}${keysText(keys, ' (', ')')}`);
  return escapeInvisible(`${typeLabel(type)}${keysText(keys, ' ')}`);
}

/** Keys by their proven names, and by what the request states otherwise. */
function keysText(keys: readonly KeyClaim[], before: string, after = ''): string {
  return keys.length === 0 ? '' : `${before}${listOf(keys.map(nameOf))}${after}`;
}

/** SECURITY: D1097: a user chose the name, so that nothing in it looks like the end of the quotation. */
function nameOf({ id, name, address, proof }: KeyClaim): string {
  if (proof === undefined || name === undefined) return id;
  const quoted = quotedReference(name);
  return address === undefined ? quoted : words.approvals.accountOf(address, quoted);
}

function listOf(objects: readonly string[]): string {
  const rest = objects.length - MOST_OBJECTS;
  return [...objects.slice(0, MOST_OBJECTS), ...(rest > 0 ? [words.freezes.more(rest)] : [])].join(', ');
}

const freezing = /^ACTIVITY_TYPE_(UN)?FREEZE$/;
/** The rest is in the parameters. */
const MOST_OBJECTS = 3;

/**
 * What a request freezes or unfreezes.
 * SECURITY: D389: a thief asks for the unfreeze of more than people expect. The sentence names the objects of the stamped request.
 */
function freezeSentence(type: string, parameters: Readonly<Record<string, unknown>>, keys: readonly KeyClaim[]): string {
  const { wholeOrganization, userIds, walletIds, privateKeyIds, reason } = parameters;
  const named = new Map(keys.map((key) => [`${key.kind} ${key.id}`, nameOf(key)]));
  const each = (noun: string, ids: unknown, kind?: KeyClaim['kind']) =>
    Array.isArray(ids) ? ids.map((id) => `${noun} ${named.get(`${kind} ${id}`) ?? String(id)}`) : [];
  const { organizationName, nouns } = words.freezes;
  const objects = [
    ...(wholeOrganization === true ? [organizationName] : []),
    ...each(nouns.user, userIds),
    ...each(nouns.wallet, walletIds, 'wallet'),
    ...each(nouns.privateKey, privateKeyIds, 'private key'),
  ];
  const why = typeof reason === 'string' ? `: ${quotedReference(reason)}` : '';
  return escapeInvisible(`${typeLabel(type)} ${listOf(objects)}${why}`);
}

const naming = /^(.*Name|name|label|url|payload|identifier)$/;

/** Name of the object of a request, if its parameters or their first item contain one. */
function subjectOf(parameters: Readonly<Record<string, unknown>>): string | undefined {
  for (const [key, value] of Object.entries(parameters)) {
    if (naming.test(key) && typeof value === 'string' && value !== '')
      return value.length > 80 ? `${value.slice(0, 80)}…` : value;
    const first: unknown = Array.isArray(value) ? value[0] : undefined;
    if (typeof first === 'object' && first !== null) {
      const inner = subjectOf(first as Readonly<Record<string, unknown>>);
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}
