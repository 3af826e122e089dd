import type { ParsedTransaction } from '@countersign/chains';
import type { ActivityDefinition } from '@countersign/contract';
import type { StrengthName } from './credential-strength.ts';
import type { JudgedKey, JudgedSecret, JudgedWallet } from './organization.ts';

/** A parsed transaction or typed message. */
export type ParsedSubject = Pick<
  ParsedTransaction,
  'namespace' | 'policy' | 'effects' | 'signer' | 'description' | 'fullyParsed' | 'unparsed' | 'fullyParsedByInterfaces'
>;

/** A request that has the same signature as a raw payload, and shows what is signed. */
export interface Reading {
  readonly definition: ActivityDefinition;
  readonly params: unknown;
  readonly parsed: ParsedSubject;
}

/** What the payloads of a raw signing request are. Absent in a subject whose payloads are neither readable nor hidden. */
export interface RawContent {
  readonly readings: readonly Reading[];
  /** Whether there is a reading of every payload. */
  readonly isComplete: boolean;
  /** What the first payload is that hides its content, as the end of `the payload is …`. */
  readonly hidden?: string;
}

/** The object of an activity, as policies see it. */
export interface PolicySubject {
  /** The key that is to sign. */
  readonly key?: JudgedKey;
  /** The wallet that the key belongs to, or that the activity is about. */
  readonly wallet?: JudgedWallet;
  /** The wallets that the activity is about, if it accepts several. */
  readonly wallets?: readonly JudgedWallet[];
  /** The secrets that the activity is about. */
  readonly secrets?: readonly JudgedSecret[];
  /** The parsed content to sign, if it has a known format. */
  readonly parsed?: ParsedSubject;
  /** What the payloads to sign are, if they have no known format but are those of one. */
  readonly raw?: RawContent;
  /** It takes the place of a transaction whose assets were counted, and of both only one can be executed. Absent for other activities. */
  readonly isReplacement?: true;
  /** How many signatures a batch asks for. Absent for other activities. */
  readonly signatures?: number;
  /** The object for which a one-time key must have been created. */
  readonly oneTimeSubjectId?: string;
  /** The credentials and trusted attributes that the activity changes. Empty if it changes none. */
  readonly touches?: readonly Touch[];
  /**
   * Parameters as the executor resolved them, by their wire names: omitted parameters filled in from the organization's state, and
   * looked-up values in canonical form. Policies see these instead of the submitted values.
   * INVARIANT: an executor returns every parameter that the contract marks as `resolved`. An omitted one has no value.
   */
  readonly parameters?: () => Readonly<Record<string, unknown>>;
}

/**
 * A credential, or an attribute that policies trust, that an activity creates, changes or removes.
 * INVARIANT: an executor lists all of them in its plan. Anything that it omits is authorized by policies alone.
 */
export type Touch =
  | {
      /**
       * A CONTACT or an IDENTITY opens sessions. MFA is an additional requirement for the user. PUSH opens nothing: it is a browser that
       * receives notifications of the user's pending approvals while it exists.
       */
      readonly what: 'SESSION' | 'CONTACT' | 'IDENTITY' | 'API_KEY' | 'PASSKEY' | 'MFA' | 'PUSH';
      readonly userId: string;
      /** The request contains the user's own proof in addition to its stamp: a token, a code, or a key that was sent to the user. */
      readonly proven?: true;
      /** The activity only removes something. Ending another user's session is not acting as that user. */
      readonly ends?: true;
      /**
       * The strength that an MFA policy requires, or that opens something without the limits of the submitter's credential. Otherwise, the
       * strength follows from `what`.
       */
      readonly strength?: StrengthName;
    }
  | TrustTouch
  | SignInKeyTouch;

/** The organization's public sign-in key becomes the API key of a user. The relay then acts as that user, for everyone. */
export interface SignInKeyTouch {
  readonly what: 'SIGN_IN_KEY';
}

/**
 * An attribute for which policies trust a user, a key or a wallet. `userId` is absent for a user whom the activity creates. `lost` is
 * present if the activity takes it away.
 */
export type TrustTouch = { readonly lost?: true } /** Tags that a user gains or loses. */ & (
  | { readonly what: 'TAGS'; readonly userId?: string; readonly tagIds: readonly string[] }
  /** A name that a user gains or loses. */
  | { readonly what: 'NAME'; readonly userId?: string; readonly userName: string }
  /** An e-mail address that a user is created with or loses. Policies see it, independently of what it opens as a CONTACT. */
  | { readonly what: 'EMAIL'; readonly userId?: string; readonly userEmail: string }
  /** Tags that a private key gains or loses. */
  | { readonly what: 'KEY_TAGS'; readonly tagIds: readonly string[] }
  /** A name that a wallet gains or loses. */
  | { readonly what: 'WALLET_NAME'; readonly walletName: string }
  /** The address of an account whose key gets an account with another address. */
  | { readonly what: 'ACCOUNT_ADDRESS'; readonly address: string }
);

/** A change of a credential. */
export type CredentialTouch = Exclude<Touch, TrustTouch | SignInKeyTouch>;

/** A missing kind does not compile. */
const isTrust: Readonly<Record<TrustTouch['what'], true>> = {
  TAGS: true,
  NAME: true,
  EMAIL: true,
  KEY_TAGS: true,
  WALLET_NAME: true,
  ACCOUNT_ADDRESS: true,
};

export function isTrustTouch(touch: Touch): touch is TrustTouch {
  return touch.what in isTrust;
}

export function isCredentialTouch(touch: Touch): touch is CredentialTouch {
  return !isTrustTouch(touch) && touch.what !== 'SIGN_IN_KEY';
}
