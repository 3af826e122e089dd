import type { ListedActivity } from '@countersign/client';
import { quotedReference } from '@countersign/contract';
import { words } from '../words/index.ts';
import { aboutChange } from './about-change.ts';
import { aboutEffect } from './about-effect.ts';
import { aboutFee } from './about-fee.ts';
import { aboutRequester } from './about-requester.ts';
import type { Around } from './around.ts';
import { duplicatesOf } from './duplicates.ts';
import { type Finding, grave, notable } from './finding.ts';
import { leavesFee } from './leaves-fee.ts';
import type { Person } from './person.ts';
import type { RecordProof } from './proof/prove-record.ts';
import type { Check, KeyClaim, Reading } from './types.ts';

const texts = words.approvals.unusualWords;

/** Everything about a request that needs attention. */
export function unusual(check: Check, around: Around): readonly Finding[] {
  const { people = [] } = check;
  const requester = [...people.flatMap(aboutPerson), ...aboutRequester(around, people)];
  if (check.state === 'unread') return [grave(texts.unread), ...requester];
  if (check.state === 'plain') {
    const raw = signsBytes(check.request.parameters) ? [grave(texts.raw)] : [];
    return [...raw, ...aboutChange(around.activity), ...check.keys.flatMap(aboutKey), ...requester];
  }
  if (check.state !== 'read') return [];
  const { reading } = check;
  const { effects, fullyParsed } = reading;
  const found = [
    ...effects.flatMap((effect) => aboutEffect(effect, reading, around)),
    ...aboutFee(reading, check.request),
    ...reading.names.flatMap(aboutName),
    ...duplicatesOf(effects, withoutReplaced(around, reading), people),
    ...(fullyParsed ? [] : [grave(texts.notUnderstood)]),
    ...(leavesFee(check.request, reading.replaces) ? [notable(texts.feeByService)] : []),
    ...(check.request.parameters.sponsor === true ? [notable(texts.sponsored)] : []),
    ...aboutNetwork(check.request.parameters, reading),
    ...(around.proven.isAltered ? [grave(texts.historyAltered)] : []),
    ...(around.activity.warnings ?? []).map((text) => notable(text)),
    ...requester,
  ];
  const shown = found.map((finding) => inFull(finding, reading));
  return [...new Map(shown.map((finding) => [finding.text, finding])).values()];
}

/** A finding with addresses as people read them, with their checksums. */
function inFull(finding: Finding, { effects, displayed }: Reading): Finding {
  let { text, lookAlike } = finding;
  for (const [index, { to = '' }] of effects.entries()) {
    const full = displayed[index]?.to;
    if (to === '' || full === undefined) continue;
    text = text.replaceAll(to, full);
    if (lookAlike?.given === to) lookAlike = { ...lookAlike, given: full };
  }
  return { ...finding, text, ...(lookAlike && { lookAlike }) };
}

const signsBytes = (parameters: object) => 'payload' in parameters || 'payloads' in parameters;

/** What a request speeds up is no second payment. */
function withoutReplaced(around: Around, { replaces }: Reading): Around {
  if (replaces === undefined) return around;
  const isOther = ({ id }: ListedActivity) => !replaces.activityIds.includes(id);
  const { earlier, past, open } = around;
  return {
    ...{ ...around, past: past.filter(isOther), open: open.filter(isOther) },
    ...(earlier && { earlier: { ...earlier, activities: earlier.activities.filter(isOther) } }),
  };
}

/**
 * SECURITY: D978: the bytes of some chains do not say on which network they are executed, and are shown as on the main one. A payment on a test
 * network would look like a real one.
 */
function aboutNetwork({ caip2 }: Readonly<Record<string, unknown>>, { effects }: Reading): Finding[] {
  const shown = effects.find(({ kind }) => kind === 'FEE')?.asset?.id.split('/')[0];
  return typeof caip2 !== 'string' || shown === undefined || shown === caip2 ? [] : [grave(texts.otherNetwork(caip2, shown))];
}

function aboutPerson({ userId, name, state }: Person): Finding[] {
  return state === 'altered' ? [grave(texts.alteredPerson(userId, quotedReference(name)))] : [];
}

const aboutWriter = ({ writer }: RecordProof) => (writer === undefined ? [] : aboutPerson(writer));

function aboutKey({ kind, id, name, proof }: KeyClaim): Finding[] {
  if (proof !== undefined) return aboutWriter(proof);
  if (name === undefined) return [];
  return [notable(texts.unprovenSource(`${texts.key[kind]} ${id}`, quotedReference(name)))];
}

function aboutName({ kind, name, address, proof }: Reading['names'][number]): Finding[] {
  if (proof !== undefined) return aboutWriter(proof);
  const quoted = quotedReference(name);
  if (kind === 'wallet' || kind === 'private key') return [notable(texts.unprovenSource(kind, quoted))];
  if (kind === 'interface') return [grave(texts.unprovenInterface(quoted, address))];
  return [grave(kind === 'contact' ? texts.unprovenContact(quoted, address) : texts.unprovenToken(quoted, address))];
}
