import type { ParsedTransaction } from '@countersign/chains';
import type { StrengthName } from './credential-strength.ts';
import type { JudgedKey, JudgedWallet } from './organization.ts';

/** What a transaction or a typed message was understood as. */
export type ParsedSubject = Pick<
  ParsedTransaction,
  'namespace' | 'policy' | 'effects' | 'description' | 'fullyParsed' | 'unparsed' | 'fullyParsedByInterfaces'
>;

/** What policies can ask about the object of an activity. */
export interface PolicySubject {
  /** The key that is to sign. */
  readonly key?: JudgedKey;
  /** The wallet that the key belongs to, or that the activity is about. */
  readonly wallet?: JudgedWallet;
  /** The wallets that the activity is about, where it takes several. */
  readonly wallets?: readonly JudgedWallet[];
  /** What it is to sign, where that has a meaning. */
  readonly parsed?: ParsedSubject;
  /** The object that a one-time key must have been made for. */
  readonly oneTimeSubjectId?: string;
  /** What the activity does to the ways to act as users. Empty where it touches none of them. */
  readonly touches?: readonly Touch[];
  /**
   * Parameters as the executor understood them, by their names on the wire: what it fills in from the organization's state where the
   * request leaves something out, and the one spelling of what it looked up. Policies see these in place of what was sent.
   * INVARIANT: an executor gives every parameter that the contract marks as `resolved`. One that it does not give has no value.
   */
  readonly parameters?: () => Readonly<Record<string, unknown>>;
}

/**
 * Something that can lead to acting as a user, or that policies trust a user for, and that an activity makes, changes or removes.
 * INVARIANT: an executor names all of them in its plan. Whatever it leaves out is judged by policies alone.
 */
export type Touch =
  | {
      /**
       * A CONTACT or an IDENTITY opens sessions. MFA is what the user must show besides. PUSH opens nothing: it is a browser that is told
       * what the user is asked for, for as long as it is there.
       */
      readonly what: 'SESSION' | 'CONTACT' | 'IDENTITY' | 'API_KEY' | 'PASSKEY' | 'MFA' | 'PUSH';
      readonly userId: string;
      /** The request holds the user's own proof beside its stamp: a token, a code, a key that was sent to them. */
      readonly proven?: true;
      /** Something ends, and nothing is made. Ending the session of somebody else is not acting as that user. */
      readonly ends?: true;
      /** What an MFA policy demands. Everything else is worth what it is. */
      readonly strength?: StrengthName;
    }
  | TrustTouch;

/** What policies trust a user, a key or a wallet for. `userId` is absent for a user whom the activity makes. */
export type TrustTouch =
  /** Tags that a user gains or loses. */
  | { readonly what: 'TAGS'; readonly userId?: string; readonly tagIds: readonly string[] }
  /** A name that a user gets or gives up. */
  | { readonly what: 'NAME'; readonly userId?: string; readonly userName: string }
  /** An e-mail address that a user is made with or gives up. Policies see it, apart from what it opens as a CONTACT. */
  | { readonly what: 'EMAIL'; readonly userId?: string; readonly userEmail: string }
  /** Tags that a private key gains or loses. */
  | { readonly what: 'KEY_TAGS'; readonly tagIds: readonly string[] }
  /** A name that a wallet gets or gives up. */
  | { readonly what: 'WALLET_NAME'; readonly walletName: string }
  /** The address of an account whose key gets an account with another address. */
  | { readonly what: 'ACCOUNT_ADDRESS'; readonly address: string };

/** What opens the way to act as a user. */
export type CredentialTouch = Exclude<Touch, TrustTouch>;

/** A kind of trust that is missing here does not compile. */
const isTrust: Readonly<Record<TrustTouch['what'], true>> = {
  TAGS: true,
  NAME: true,
  EMAIL: true,
  KEY_TAGS: true,
  WALLET_NAME: true,
  ACCOUNT_ADDRESS: true,
};

export function isCredentialTouch(touch: Touch): touch is CredentialTouch {
  return !(touch.what in isTrust);
}
