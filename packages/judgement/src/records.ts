import type {
  AccessType,
  ApiKeyCurve,
  AuthenticationType,
  AuthenticatorTransport,
  AuthProxyConfigParams,
  CredentialType,
  SmartContractInterfaceShape,
} from '@countersign/contract';

/** When a record was created and last changed, in milliseconds since the epoch. */
export interface Dated {
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface RootQuorum {
  readonly threshold: number;
  readonly userIds: readonly string[];
}

export interface OrganizationRecord extends Dated {
  readonly name: string;
  /** Null for a top-level organization. */
  readonly parentId: string | null;
  readonly rootQuorum: RootQuorum;
  readonly features: readonly Feature[];
  /** Present on the first organization of the installation. It belongs to the operator and creates the other top-level organizations. */
  readonly first?: true;
  /** Present on the first organization of `countersign dev`, whose data and keys are removed when it ends. Nothing else sets it. */
  readonly throwAway?: true;
  /** The tier whose limits apply. */
  readonly billingTier?: string;
  readonly paymentMethod?: PaymentMethod;
  /** Present on a deleted organization. Only its name and the activities that led to the deletion remain. */
  readonly deletedAtMs?: number;
}

/** An active feature. */
export interface Feature {
  readonly name: string;
  readonly value?: string;
}

/** A reference from a payment provider. */
export interface PaymentMethod {
  readonly paymentMethodId: string;
  readonly cardHolderName: string;
  readonly cardHolderEmail: string;
}

/** How certain it is that a contact belongs to its user, and since when. */
export interface ContactState {
  /**
   * CREATED: set by the creator of the user, who could have added any credential. QUORUM: the root quorum confirmed it. CODE: the user
   * entered a code that was sent to it. UNVERIFIED: a user entered it, and it cannot be used to sign in.
   */
  readonly how: 'CREATED' | 'QUORUM' | 'CODE' | 'UNVERIFIED';
  readonly atMs: number;
}

export interface UserRecord extends Dated {
  readonly userName: string;
  readonly userEmail?: string;
  readonly userPhoneNumber?: string;
  /** Absent for a contact that was set when the user was created. */
  readonly userEmailState?: ContactState;
  readonly userPhoneNumberState?: ContactState;
  readonly userTags: readonly string[];
}

export interface ApiKeyRecord extends Dated {
  readonly userId: string;
  readonly apiKeyName: string;
  /** Lower-case compressed hexadecimal, the canonical form. */
  readonly publicKey: string;
  readonly curve: ApiKeyCurve;
  readonly type: CredentialType;
  readonly expirationSeconds?: string;
  /**
   * When it was proven that the holder of the private key belongs to this sub-organization: the service generated the key for its user, its
   * holder signed the sign-up, or the key stamped an activity here.
   */
  readonly provenAtMs?: number;
  /** Present on a key that the parent registered when it created this sub-organization. */
  readonly statedByParent?: true;
  /**
   * Present on a key that was sent by mail and has not been used: the message that contains it. Until the first use there is no proof that
   * the message arrived, so the key does not end other keys, and it ends with the message.
   */
  readonly messageId?: string;
  /** Present on such a key if its first use ends the other keys of its kind. */
  readonly endsOthers?: true;
  /** Present on a one-time key: the only activity that it may submit, and the object of that activity. */
  readonly restrictedTo?: { readonly activity: string; readonly subjectId: string };
  /** Present on a one-time key that its holder exchanged for another one. */
  readonly exchanged?: true;
  /** Present on a session: how it was opened. Absent on sessions of earlier releases. */
  readonly origin?: SessionOrigin;
  /** Present on a session that a profile limits. */
  readonly limitedTo?: SessionScope;
  /**
   * Present on an RPC key: what a caller of the JSON-RPC endpoint presents. The SHA-256 of a token, or the public key of a certificate. The
   * service then stamps with this key.
   */
  readonly presents?: string;
}

/** How a session was opened. A session that was opened with another session inherits its sign-in. */
export interface SessionOrigin {
  /** When the user signed in. */
  readonly signedInAtMs: number;
  /** What the user signed in with. SESSION means a session of unknown origin. */
  readonly method: 'API_KEY' | 'PASSKEY' | 'OAUTH' | 'EMAIL' | 'SMS' | 'SESSION';
  /** The ids of the credentials that it depends on, nearest first: sessions, then the credential of the sign-in, if it has an id. */
  readonly openedBy: readonly string[];
  /** When it expires, with all sessions that it opens, if that is earlier than the maximum lifetime of a session. */
  readonly endsAtMs?: number;
}

/** What a session may do, copied from its profile when the session was opened. */
export interface SessionScope {
  readonly sessionProfileId: string;
  readonly sessionProfileName: string;
  readonly scope: string;
  readonly expirationSeconds?: string;
}

/** An authentication method. `id` is a specific credential, or the profile of a session. */
export interface AuthenticationMethod {
  readonly type: AuthenticationType;
  readonly id?: string;
}

/** The authentication methods that a user must use before their approval counts. */
export interface MfaPolicyRecord extends Dated {
  readonly userId: string;
  readonly mfaPolicyName: string;
  /** An expression over `activity`. */
  readonly condition: string;
  /** All of them are required, each with a separate credential. */
  readonly requiredAuthenticationMethods: readonly { readonly any: readonly AuthenticationMethod[] }[];
  readonly order: number;
  readonly notes?: string;
}

/** A limit that applies to sessions opened with it. */
export interface SessionProfileRecord extends Dated {
  readonly sessionProfileName: string;
  /** An expression over `activity`. */
  readonly scope: string;
  readonly expirationSeconds?: string;
  readonly notes?: string;
}

/** How people sign up and sign in through the organization's auth proxy. Its id is that of the organization. */
export interface AuthProxyRecord extends Dated, AuthProxyConfigParams {}

export interface AuthenticatorRecord extends Dated {
  readonly userId: string;
  readonly authenticatorName: string;
  readonly credentialId: string;
  /** The COSE key, base64url. */
  readonly publicKey: string;
  /** The only relying party that the passkey signs for. */
  readonly rpId: string;
  /** The signature counter at the last accepted use. 0 if the authenticator has none. */
  readonly counter: number;
  /** As for API keys. */
  readonly provenAtMs?: number;
  readonly statedByParent?: true;
  /** Whether it can be copied to other devices, as reported at registration. Absent in records of earlier releases. */
  readonly backupEligible?: boolean;
  readonly aaguid: string;
  readonly attestationType: string;
  readonly model: string;
  readonly transports: readonly AuthenticatorTransport[];
}

/** A link to an OpenID Connect identity. The token that registered it is not stored. */
export interface OauthProviderRecord extends Dated {
  readonly userId: string;
  readonly providerName: string;
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
}

/** A tag. Users and private keys store which tags they have. */
export interface TagRecord extends Dated {
  readonly tagName: string;
}

/** A person invited by mail. The user is created with the invitation, but can do nothing before accepting it. */
export interface InvitationRecord extends Dated {
  readonly receiverUserId: string;
  readonly receiverUserName: string;
  readonly receiverEmail: string;
  readonly receiverUserTags: readonly string[];
  readonly accessType: AccessType;
  readonly senderUserId: string;
  readonly status: 'INVITATION_STATUS_CREATED' | 'INVITATION_STATUS_ACCEPTED' | 'INVITATION_STATUS_REVOKED';
}

export interface PolicyRecord extends Dated {
  readonly policyName: string;
  readonly effect: 'EFFECT_ALLOW' | 'EFFECT_DENY';
  readonly condition?: string;
  readonly consensus?: string;
  readonly time?: string;
  readonly notes: string;
  /** The language of the policy: 2 and later see every parameter. Absent for the first language, which had few. */
  readonly language?: 2 | 3;
}

/** An ABI, an IDL or an ERC-7730 descriptor, for parsing calls in transactions. */
export interface SmartContractInterfaceRecord extends Dated {
  readonly label: string;
  /** In canonical form. */
  readonly smartContractAddress: string;
  readonly smartContractInterface: string;
  readonly type: SmartContractInterfaceShape['type'];
  readonly notes: string;
}

/** An address that the organization knows. */
export interface ContactRecord extends Dated {
  readonly label: string;
  /** In the form that policies compare. */
  readonly address: string;
  readonly contactTags: readonly string[];
  readonly notes: string;
}

/** A token that the organization vouches for. */
export interface TokenRecord extends Dated {
  /** Its CAIP-19 name, in the form that policies compare. */
  readonly asset: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** A secret under policy. The sealed bytes have the same id. INVARIANT: name and properties never change. */
export interface SecretRecord extends Dated {
  readonly name?: string;
  readonly staticProperties: readonly { readonly key: string; readonly value: string }[];
  readonly exported: boolean;
}

/** Suspends the organization, a user, a wallet or a private key. The id of the record is the id of what it suspends. */
export interface FreezeRecord extends Dated {
  readonly target: 'ORGANIZATION' | 'USER' | 'WALLET' | 'PRIVATE_KEY';
  readonly reason: string;
  /** The user who submitted the freeze. */
  readonly frozenBy: string;
}

export interface WalletBody extends Dated {
  readonly walletName: string;
  readonly exported: boolean;
  readonly imported: boolean;
  /**
   * The ids of accounts that were deleted while the wallet remained. SECURITY: the row of a deleted account stays authentic, and no sum
   * covers it. If an attacker restores the row, only this list reveals it. The organization's head covers the wallet and its list.
   */
  readonly deletedAccounts?: readonly string[];
}

export interface WalletAccountBody extends Dated {
  readonly walletId: string;
  readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';
  readonly path: string;
  readonly addressFormat: string;
  readonly address: string;
  readonly publicKey: string;
  readonly name?: string;
  /** Present on an account whose private key was exported separately from its wallet. */
  readonly exported?: true;
}

export interface PrivateKeyBody extends Dated {
  readonly privateKeyName: string;
  readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';
  readonly publicKey: string;
  readonly addresses: readonly { readonly format: string; readonly address: string }[];
  readonly privateKeyTags: readonly string[];
  /** Present on a key that no longer signs. */
  readonly disabled?: true;
  readonly exported: boolean;
  readonly imported: boolean;
}
