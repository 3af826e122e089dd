import type { Activities, ActivityInput } from '@countersign/contract';
import type { RecordBodies } from '../record-kinds.ts';
import type { ComparedKind, ComparedRequest, Proposed, ProposedRecord } from './change.ts';

/** A change that cannot be executed in the current state. */
export interface Impossible {
  readonly kind: ComparedKind;
  readonly id: string;
  readonly problem: string;
}

/** The records that a request changes. Pure and lazy: only as many are made as a comparison shows. */
export type Compare<Params> = (request: ComparedRequest<Params>) => Iterable<Proposed | Impossible>;

/** An operation that changes nothing that could be compared. */
export interface NothingToCompare {
  readonly nothing: string;
}

/** `why` completes "has nothing to compare, because". */
export function nothing(why: string): NothingToCompare {
  return { nothing: why };
}

export type CompareOf<Name extends keyof Activities> = Compare<ActivityInput<Name>> | NothingToCompare;

/** A record that a request changes. `change` returns the record after it, and undefined for a deletion. */
export function* changed<K extends ComparedKind>(
  { organization }: Pick<ComparedRequest, 'organization'>,
  kind: K,
  id: string,
  change: (before: RecordBodies[K]) => ProposedRecord<K>['after'],
  more: (before: RecordBodies[K]) => Pick<ProposedRecord<K>, 'also' | 'of'> = () => ({}),
): Generator<Proposed | Impossible> {
  const before = organization.records[kind].get(id) as RecordBodies[K] | undefined;
  if (before === undefined) yield { kind, id, problem: 'does not exist, so the request fails' };
  else yield { kind, id, before, after: change(before), ...more(before) } as unknown as Proposed;
}

/** Records that a request deletes. */
export function* deleted<K extends ComparedKind>(
  request: Pick<ComparedRequest, 'organization'>,
  kind: K,
  ids: readonly string[],
  more?: (before: RecordBodies[K], id: string) => Pick<ProposedRecord<K>, 'also' | 'of'>,
): Generator<Proposed | Impossible> {
  for (const id of ids) yield* changed(request, kind, id, () => undefined, more && ((before) => more(before, id)));
}

/** A record that a request creates. */
export function created<K extends ComparedKind>(
  kind: K,
  after: NonNullable<ProposedRecord<K>['after']>,
  more: Pick<ProposedRecord<K>, 'also' | 'of'> = {},
): Proposed {
  return { kind, after, ...more } as unknown as Proposed;
}
