import type { RecordBodies, RecordKind, Resource, ResourceBodies, ResourceKind } from '../records.ts';

/**
 * A write that an executor returns as data. `applyChanges` turns it into rows with MACs, index entries and the organization's next head.
 */
export type Change = LocalChange | NewOrganization;

/** A change within one organization. */
export type LocalChange = RecordPut | RecordDelete | ResourcePut | ResourceDelete | SecretPut | SecretDelete | OutboxPut;

export type RecordPut = {
  [K in RecordKind]: { readonly op: 'putRecord'; readonly kind: K; readonly id: string; readonly body: RecordBodies[K] };
}[RecordKind];

export interface RecordDelete {
  readonly op: 'deleteRecord';
  readonly kind: RecordKind;
  readonly id: string;
}

export type ResourcePut = {
  [K in ResourceKind]: {
    readonly op: 'putResource';
    readonly kind: K;
    readonly id: string;
    /** The wallet of an account; absent for wallets and private keys. */
    readonly parentId?: string;
    readonly body: ResourceBodies[K];
    /** The resource that the change replaces, if any. */
    readonly previous?: Resource;
  };
}[ResourceKind];

export interface ResourceDelete {
  readonly op: 'deleteResource';
  readonly previous: Resource;
}

export interface SecretPut {
  readonly op: 'putSecret';
  readonly id: string;
  readonly ciphertext: Uint8Array;
}

export interface SecretDelete {
  readonly op: 'deleteSecret';
  readonly id: string;
}

/** A message to deliver once the change is durable. */
export interface OutboxPut {
  readonly op: 'putOutbox';
  readonly id: string;
  /** The quota that the message counts against. The message itself determines how it is sent. */
  readonly channel: 'EMAIL' | 'SMS';
  readonly dueAtMs: number;
  /** After this time the message is useless. */
  readonly expiresAtMs: number;
  readonly ciphertext: Uint8Array;
}

/** A new organization with everything in it. */
export interface NewOrganization {
  readonly op: 'createOrganization';
  readonly organizationId: string;
  /** True for a top-level organization. Otherwise the new organization belongs to the one that creates it. */
  readonly topLevel?: true;
  readonly dataKey: { readonly rootKeyId: string; readonly wrapped: Uint8Array };
  readonly changes: readonly LocalChange[];
}
