import type { OtpType, WebhookSubscription } from '@countersign/contract';
import type { Dated, SessionOrigin } from './records.ts';

// Records that no decision reads: sessions, tokens, codes, receivers of messages.

/** A read-only session. Its id is the SHA-256 of its token in hexadecimal; the token itself is not kept. */
export interface ReadOnlySessionRecord extends Dated {
  readonly userId: string;
  readonly expiresAtMs: number;
  /** As for API keys. */
  readonly origin?: SessionOrigin;
}

/** A key of the service. One user may encrypt one import to it. The sealed private half has the same id. */
export interface ImportTargetRecord extends Dated {
  readonly userId: string;
  readonly use: 'IMPORT_WALLET' | 'IMPORT_PRIVATE_KEY';
  readonly expiresAtMs: number;
}

/**
 * A used token of OpenID Connect or of a one-time code. It signed a user in or up, or proved a user's contact, and never works
 * again. Its id is the SHA-256 of the signed part; the token itself is not kept. From `deadAtMs` on the token is refused for its
 * age, and the record is no longer needed.
 */
export interface UsedTokenRecord extends Dated {
  readonly userId: string;
  readonly deadAtMs: number;
}

/** A one-time code that was sent. The record stays for a while after use or expiry, because limits count it. */
export interface OneTimeCodeRecord extends Dated {
  /** What the code is exchanged for: a key of the user it names, or a token that proves the contact. */
  readonly use: 'SIGN_IN' | 'VERIFICATION';
  readonly otpType: OtpType;
  /** In canonical form. */
  readonly contact: string;
  /** The user whom the code signs in. */
  readonly signsIn?: string;
  readonly alphanumeric: boolean;
  /** Present where there are so few codes of its form that one could be guessed. */
  readonly short?: true;
  /** A keyed hash of the code, base64. */
  readonly digest: string;
  readonly triesLeft: number;
  readonly expiresAtMs: number;
  /** Present once the code was accepted. It is never accepted again. */
  readonly used?: true;
  /**
   * The sealed private half of the key to which the code must come back encrypted, base64. Present only while the code can be
   * used: it goes with the use of the code, with the last wrong try, and with the record.
   */
  readonly sealedTarget?: string;
  /** The user who sent the request for it. */
  readonly submittedBy?: string;
  /** A keyed hash of that user and of whom the user asked for, base64; absent where the request did not say. */
  readonly askedBy?: string;
  /** The message that carries it. */
  readonly messageId?: string;
}

/**
 * Wrong tries at the one-time codes of a contact, or of a requester. The id is a keyed hash of either. It outlives the codes, and goes once
 * all tries are forgiven.
 */
export interface WrongTriesRecord extends Dated {
  readonly of: 'CONTACT' | 'REQUESTER';
  /** How many were remembered when the last one was made. */
  readonly level: number;
  readonly failedAtMs: number;
}

/** A receiver of events about activities of the organization and of its sub-organizations. */
export interface WebhookEndpointRecord extends Dated {
  readonly name: string;
  readonly url: string;
  readonly isActive: boolean;
  readonly subscriptions: readonly WebhookSubscription[];
}

/** A browser that is told what waits for the approval of its user (Web Push). */
export interface PushSubscriptionRecord extends Dated {
  readonly userId: string;
  /** The credential that it was made with, by id. It ends with that. */
  readonly subscribedWith: string;
  readonly name: string;
  readonly endpoint: string;
  /** An uncompressed P-256 point, and 16 bytes. Both in base64url without padding. */
  readonly p256dh: string;
  readonly auth: string;
}

/**
 * The addresses from which credentials may be used. Its id is the id of the organization, or of the one API key that it governs.
 * The list of an API key is always in force and has no `enabled`.
 */
export interface IpAllowlistRecord extends Dated {
  readonly enabled?: boolean;
  readonly rules: readonly IpAllowlistRule[];
  /** What happens to a request whose address is unknown. */
  readonly onEvaluationError: 'ALLOW' | 'DENY';
}

export interface IpAllowlistRule {
  /** In canonical form. */
  readonly cidr: string;
  readonly label?: string;
  readonly createdAtMs: number;
}

/**
 * An activity that waits for approvals, under its id.
 * SECURITY: the head covers it. So nobody who writes the database can put back an activity that has ended, or one of its earlier states.
 */
export interface OpenActivityRecord extends Dated {
  readonly submitterId: string;
  /** How many votes were cast. Each revision of an activity has one more. */
  readonly votes: number;
}
