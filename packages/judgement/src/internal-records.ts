import type { OtpType, WebhookDeliveryMode, WebhookSubscription } from '@countersign/contract';
import type { Dated, SessionOrigin } from './records.ts';

// Records that no decision reads: sessions, tokens, codes, recipients of messages.

/** A read-only session. Its id is the SHA-256 of its token in hexadecimal. The token itself is not stored. */
export interface ReadOnlySessionRecord extends Dated {
  readonly userId: string;
  readonly expiresAtMs: number;
  /** As for API keys. */
  readonly origin?: SessionOrigin;
}

/** A key of the service, to which one user may encrypt one import. The sealed private half has the same id. */
export interface ImportTargetRecord extends Dated {
  readonly userId: string;
  readonly use: 'IMPORT_WALLET' | 'IMPORT_PRIVATE_KEY' | 'IMPORT_SECRET';
  /** The public half, uncompressed in hexadecimal, if the import names it. */
  readonly publicKey?: string;
  readonly expiresAtMs: number;
}

/**
 * A used token of OpenID Connect or of a one-time code. It signed a user in or up, or proved a user's contact, and never works again. Its
 * id is the SHA-256 of the signed part. The token itself is not stored. From `deadAtMs` on, the token is rejected because of its age, and
 * the record is no longer needed.
 */
export interface UsedTokenRecord extends Dated {
  readonly userId: string;
  readonly deadAtMs: number;
}

/** A one-time code that was sent. The record outlives the use and expiry of the code for a while, because rate limits count it. */
export interface OneTimeCodeRecord extends Dated {
  /** What the code is exchanged for: a key of the user in `signsIn`, or a token that proves the contact. */
  readonly use: 'SIGN_IN' | 'VERIFICATION';
  readonly otpType: OtpType;
  /** In canonical form. */
  readonly contact: string;
  /** The user whom the code signs in. */
  readonly signsIn?: string;
  readonly alphanumeric: boolean;
  /** Present if codes of this form are few enough to guess. */
  readonly short?: true;
  /** A keyed hash of the code, base64. */
  readonly digest: string;
  readonly triesLeft: number;
  readonly expiresAtMs: number;
  /** Present once the code was accepted. It is never accepted again. */
  readonly used?: true;
  /**
   * The sealed private half of the key to which the code must come back encrypted, base64. Present only while the code can be used: it is
   * deleted when the code is used, after the last wrong try, and with the record.
   */
  readonly sealedTarget?: string;
  /** The user who sent the request for it. */
  readonly submittedBy?: string;
  /**
   * A keyed hash of that user and of the person for whom the user sent the request, base64. Absent if the request did not name that person.
   */
  readonly askedBy?: string;
  /** The message that carries it. */
  readonly messageId?: string;
}

/**
 * Wrong tries at the one-time codes of a contact or a requester. The id is a keyed hash of either. The record outlives the codes and is
 * deleted when the level has decayed to 0.
 */
export interface WrongTriesRecord extends Dated {
  readonly of: 'CONTACT' | 'REQUESTER';
  /** The level after the last wrong try. It decays over time. */
  readonly level: number;
  readonly failedAtMs: number;
}

/** A recipient of events about activities of the organization and its sub-organizations. */
export interface WebhookEndpointRecord extends Dated {
  readonly name: string;
  readonly url: string;
  readonly isActive: boolean;
  readonly subscriptions: readonly WebhookSubscription[];
  /** Absent for single deliveries. */
  readonly deliveryMode?: WebhookDeliveryMode;
  /** When the service paused it because its receiver accepted nothing for too long. Absent after it is resumed. */
  readonly disabledAtMs?: number;
}

/** A client of an OAuth 2 provider. The sealed secret has the id `secretId`, which changes with every update. */
export interface Oauth2CredentialRecord extends Dated {
  readonly provider: string;
  readonly clientId: string;
  readonly secretId: string;
}

/** A browser that receives notifications of activities pending its user's approval (Web Push). */
export interface PushSubscriptionRecord extends Dated {
  readonly userId: string;
  /** The id of the credential that created it. It is removed with that credential. */
  readonly subscribedWith: string;
  readonly name: string;
  readonly endpoint: string;
  /** An uncompressed P-256 point, and 16 bytes. Both in base64url without padding. */
  readonly p256dh: string;
  readonly auth: string;
}

/** The newest API keys of a user that newer ones evicted before they expired. Its id is the id of the user. Bounded. */
export interface EvictedKeysRecord extends Dated {
  readonly userId: string;
  readonly publicKeys: readonly string[];
}

/**
 * The IP addresses from which credentials may be used. Its id is the id of the organization, or of the one API key to which it applies. The
 * list of an API key is always in force and has no `enabled`.
 */
export interface IpAllowlistRecord extends Dated {
  readonly enabled?: boolean;
  readonly rules: readonly IpAllowlistRule[];
  /** The decision for a request whose IP address is unknown. */
  readonly onEvaluationError: 'ALLOW' | 'DENY';
}

export interface IpAllowlistRule {
  /** In canonical form. */
  readonly cidr: string;
  readonly label?: string;
  readonly createdAtMs: number;
}

/**
 * A pending activity, under its id.
 * SECURITY: the organization's head covers it, so write access to the database is not enough to restore a completed activity or an earlier
 * state of one.
 */
export interface OpenActivityRecord extends Dated {
  readonly submitterId: string;
  /** The number of votes. Each revision of an activity has one more. */
  readonly votes: number;
}
