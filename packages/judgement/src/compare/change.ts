import type { ComparedChangeShape } from '@countersign/contract';
import type { RecordBodies } from '../record-kinds.ts';
import type { Dated, OrganizationRecord } from '../records.ts';

/** The kinds of records that a comparison shows. */
export type ComparedKind = Exclude<
  keyof RecordBodies,
  'importTarget' | 'usedToken' | 'oneTimeCode' | 'wrongTries' | 'openActivity' | 'evictedKeys' | 'readOnlySession'
>;

type RecordMaps = { readonly [K in ComparedKind | 'readOnlySession']: ReadonlyMap<string, RecordBodies[K]> };

/** The state that a change is compared with: an immutable value at one version. */
export interface ComparedOrganization {
  readonly id: string;
  readonly profile: OrganizationRecord;
  readonly records: RecordMaps;
}

/** A request to compare. */
export interface ComparedRequest<Params = unknown> {
  readonly organization: ComparedOrganization;
  readonly submitterId: string;
  /** The parameters in their current form. */
  readonly params: Params;
  /** The parameters as authorized, if the service added to the submitted ones. */
  readonly resolved?: Readonly<Record<string, unknown>> | undefined;
}

/** A value in words: one, several of equal rank, or none. */
export type Shown = string | readonly string[] | undefined;
/** Free text of a user. It is quoted when it is shown. */
export interface Written {
  readonly written: string;
}
export type Field = Shown | Written;
/** The fields of an object in words, by their names. */
export type Fields = Readonly<Record<string, Field>>;

/** A record before and after a request. Without an id, the request creates it. */
export interface ProposedRecord<K extends ComparedKind> {
  readonly kind: K;
  readonly id?: string;
  readonly before?: RecordBodies[K] | undefined;
  /** A creation has the members that the request determines. */
  readonly after?: Partial<Omit<RecordBodies[K], keyof Dated>> | undefined;
  /** Further fields that are not members of the record. */
  readonly also?: { readonly before?: Fields; readonly after?: Fields };
  /** Whose object it is, if its name does not say so. */
  readonly of?: string;
}

/** The record of any kind before and after a request. */
export type Proposed = { readonly [K in ComparedKind]: ProposedRecord<K> }[ComparedKind];

export type ComparedChange = ComparedChangeShape;
