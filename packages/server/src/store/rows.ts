/** The rows that persistence knows. Plain data: they may cross a process boundary. Bodies are opaque text to the store. */

/** What a decision rests on and a snapshot holds whole: users, credentials, tags, policies, the organization itself. */
export interface RecordRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  readonly body: string;
  readonly mac: Uint8Array;
}

/** What can be numerous and is looked up singly: wallets, private keys, wallet accounts. `parentId` is a wallet account's wallet, else the empty string. */
export interface ResourceRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly id: string;
  readonly parentId: string;
  readonly body: string;
  readonly mac: Uint8Array;
}

/** An encrypted secret. Its associated data binds it to organization, id and purpose, so the row needs no MAC of its own. */
export interface SecretRow {
  readonly organizationId: string;
  readonly id: string;
  readonly ciphertext: Uint8Array;
}

/** An index entry: `kind` + `value` leads to `id` within one organization. Never trusted: the row it leads to must confirm it. */
export interface LookupRow {
  readonly organizationId: string;
  readonly kind: string;
  readonly value: string;
  readonly id: string;
}

/** The head of an organization: its version and the MAC over version and content sums. */
export interface HeadRow {
  readonly organizationId: string;
  /** Empty for a top-level organization. An index only: the authenticated parent is in the organization's own record. */
  readonly parentId: string;
  readonly version: number;
  readonly mac: Uint8Array;
}

/** An organization's data key, wrapped by the root key that `rootKeyId` names. */
export interface DataKeyRow {
  readonly organizationId: string;
  readonly rootKeyId: string;
  readonly wrapped: Uint8Array;
}

/** One activity. `revision` counts its writes from 0; `body` is the whole record as JSON text. */
export interface ActivityRow {
  readonly organizationId: string;
  readonly id: string;
  readonly revision: number;
  readonly fingerprint: string;
  readonly type: string;
  readonly status: string;
  readonly body: string;
  readonly mac: Uint8Array;
}

/** An installation-wide setting, such as the wrapped integrity key. */
export interface SettingRow {
  readonly name: string;
  readonly body: string;
}

/**
 * What is to be told to somebody outside, such as a mail. It is committed with the activity that wants it told, and delivered after.
 * Its associated data binds the ciphertext to organization and id, so the row needs no MAC of its own.
 */
export interface OutboxRow {
  readonly organizationId: string;
  readonly id: string;
  readonly state: OutboxState;
  /** When to try (again); of a message that is no longer waiting, when it left that state. */
  readonly dueAtMs: number;
  /** From then on the message is of no use to its receiver. */
  readonly expiresAtMs: number;
  /** How often delivery was begun. */
  readonly attempts: number;
  /** Why the last attempt failed, in words that hold nothing of the message; empty where none has. */
  readonly fault: string;
  readonly ciphertext: Uint8Array;
}

/** `parked` was given up and stays to be looked at until it expires; `kept` lies in the development mailbox. */
export type OutboxState = 'waiting' | 'parked' | 'kept';

/**
 * An update of an activity that one webhook endpoint is to be told of. It is committed with the activity, and delivered after.
 * `organizationId` is whose activity it is; `listenerId` is the endpoint's organization, the same or its parent.
 */
export interface EventRow {
  readonly organizationId: string;
  readonly id: string;
  readonly listenerId: string;
  readonly endpointId: string;
  readonly createdAtMs: number;
  /** What is sent, byte for byte. */
  readonly body: string;
  readonly mac: Uint8Array;
}

/** `seq` grows in the order of commits, as far as one waited for another. */
export interface StoredEvent extends EventRow {
  readonly seq: number;
}

/** One row to write. `put` inserts or replaces. */
export type Write =
  | { readonly op: 'put'; readonly table: 'records'; readonly row: RecordRow }
  | { readonly op: 'delete'; readonly table: 'records'; readonly row: Pick<RecordRow, 'organizationId' | 'kind' | 'id'> }
  | { readonly op: 'put'; readonly table: 'resources'; readonly row: ResourceRow }
  | { readonly op: 'delete'; readonly table: 'resources'; readonly row: Pick<ResourceRow, 'organizationId' | 'kind' | 'id'> }
  | { readonly op: 'put'; readonly table: 'secrets'; readonly row: SecretRow }
  | { readonly op: 'delete'; readonly table: 'secrets'; readonly row: Pick<SecretRow, 'organizationId' | 'id'> }
  | { readonly op: 'put' | 'delete'; readonly table: 'lookups'; readonly row: LookupRow }
  | { readonly op: 'put'; readonly table: 'data_keys'; readonly row: DataKeyRow }
  | { readonly op: 'put'; readonly table: 'outbox'; readonly row: OutboxRow }
  | { readonly op: 'put'; readonly table: 'events'; readonly row: EventRow }
  /** A new organization's head. Inserting one that exists already refuses the commit. */
  | { readonly op: 'insert'; readonly table: 'organizations'; readonly row: HeadRow };
