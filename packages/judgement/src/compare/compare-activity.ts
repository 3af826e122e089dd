import type { Activities, ComparisonShape } from '@countersign/contract';
import type { ComparedChange, ComparedOrganization, ComparedRequest, Proposed } from './change.ts';
import { changesOf } from './compare-records.ts';
import { kindName, kinds } from './kinds.ts';
import type { Compare, Impossible } from './operation.ts';
import { operations } from './operations.ts';
import { shownId } from './references.ts';

/** SECURITY: D497: bounds of a comparison, independent of the length of the request. Omitted changes are counted up to the last number. */
const MAX_CHANGES = 200;
const MAX_CHARACTERS = 32_768;
const MAX_COUNTED = 1_000;

/** Whether an operation has something to compare. */
export function isCompared(name: keyof Activities): boolean {
  return !('nothing' in operations[name]);
}

/**
 * What a request would change, compared with the current state of its organization. Undefined for an operation that has nothing to compare.
 * Pure: the same request and state lead to the same comparison.
 */
export function compareActivity(name: keyof Activities, request: ComparedRequest): ComparisonShape | undefined {
  const compare = operations[name];
  if ('nothing' in compare) return undefined;
  const changes: ComparedChange[] = [];
  let characters = 0;
  let omitted = 0;
  for (const change of allChanges(request.organization, (compare as Compare<unknown>)(request))) {
    characters += change.text.length;
    if (omitted === 0 && changes.length < MAX_CHANGES && characters <= MAX_CHARACTERS) changes.push(change);
    else if (++omitted >= MAX_COUNTED) break;
  }
  return { changes, ...(omitted > 0 && { omitted }) };
}

function* allChanges(organization: ComparedOrganization, proposed: Iterable<Proposed | Impossible>): Generator<ComparedChange> {
  for (const each of proposed) {
    if ('problem' in each) yield impossible(each);
    else yield* changesOf(organization, each);
  }
}

function impossible({ kind, id, problem }: Impossible): ComparedChange {
  const { word } = kinds[kind];
  const title = `${word.charAt(0).toUpperCase()}${word.slice(1)} ${shownId(id)}`;
  return {
    action: 'UPDATE',
    subject: { kind: kindName(kind), id },
    field: 'problem',
    before: null,
    after: null,
    text: `${title} ${problem}`,
  };
}
