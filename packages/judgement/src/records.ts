import type {
  AccessType,
  ApiKeyCurve,
  AuthenticationType,
  AuthenticatorTransport,
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
  /** Present on the first organization of the installation. It belongs to the operator and creates other top-level ones. */
  readonly first?: true;
  /** The tier whose limits apply. */
  readonly billingTier?: string;
  readonly paymentMethod?: PaymentMethod;
  /** Present on the rest of a deleted organization: a name, and the activities that led there. */
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
   * CREATED: named by the creator of the user, who could have given the user any credential. QUORUM: the root quorum vouches for
   * it. CODE: the user showed a code that was sent there. UNVERIFIED: somebody entered it, and it signs nobody in.
   */
  readonly how: 'CREATED' | 'QUORUM' | 'CODE' | 'UNVERIFIED';
  readonly atMs: number;
}

export interface UserRecord extends Dated {
  readonly userName: string;
  readonly userEmail?: string;
  readonly userPhoneNumber?: string;
  /** Absent for a contact that the user was created with. */
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
  /** When the key first stamped an activity of this sub-organization, which proves that its holder belongs here. */
  readonly provenAtMs?: number;
  /**
   * Present on a key that came by mail and was not used yet: the message that carries it. Until its first use nobody has proven that the
   * message arrived, so the key ends nothing else, and it ends with the message.
   */
  readonly messageId?: string;
  /** Present on such a key that is to end the others of its kind, once it is used. */
  readonly endsOthers?: true;
  /** Present on a one-time key: the one activity it may submit, and the object of that activity. */
  readonly restrictedTo?: { readonly activity: string; readonly subjectId: string };
  /** Present on a session: how it was opened. Sessions of earlier releases have none. */
  readonly origin?: SessionOrigin;
  /** Present on a session that a profile limits. */
  readonly limitedTo?: SessionScope;
}

/** How a session was opened. A session that was opened with another one inherits the sign-in of that one. */
export interface SessionOrigin {
  /** When the user signed in. */
  readonly signedInAtMs: number;
  /** What the user signed in with. SESSION stands for one whose own origin is not known. */
  readonly method: 'API_KEY' | 'PASSKEY' | 'OAUTH' | 'EMAIL' | 'SMS' | 'SESSION';
  /** The credentials that it rests on, by id, the nearest first: sessions, then what the user signed in with, where that has an id. */
  readonly openedBy: readonly string[];
  /** When it ends, with all that is opened with it, where that is sooner than the greatest lifetime of a session says. */
  readonly endsAtMs?: number;
}

/** What a session may do, as its profile said when the session was opened. */
export interface SessionScope {
  readonly sessionProfileId: string;
  readonly sessionProfileName: string;
  readonly scope: string;
  readonly expirationSeconds?: string;
}

/** One way to show who one is. `id` names the very credential, or the profile of a session. */
export interface AuthenticationMethod {
  readonly type: AuthenticationType;
  readonly id?: string;
}

/** What a user must show before an approval of theirs counts. */
export interface MfaPolicyRecord extends Dated {
  readonly userId: string;
  readonly mfaPolicyName: string;
  /** An expression over `activity`. */
  readonly condition: string;
  /** All of them, each with a credential of its own. */
  readonly requiredAuthenticationMethods: readonly { readonly any: readonly AuthenticationMethod[] }[];
  readonly order: number;
  readonly notes?: string;
}

/** A limit that sessions may be opened with. */
export interface SessionProfileRecord extends Dated {
  readonly sessionProfileName: string;
  /** An expression over `activity`. */
  readonly scope: string;
  readonly expirationSeconds?: string;
  readonly notes?: string;
}

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
  /** Whether it can be copied to other devices, as it said at registration; absent in records from before this was kept. */
  readonly backupEligible?: boolean;
  readonly aaguid: string;
  readonly attestationType: string;
  readonly model: string;
  readonly transports: readonly AuthenticatorTransport[];
}

/** A link to an OpenID Connect identity. The token that registered it is not kept. */
export interface OauthProviderRecord extends Dated {
  readonly userId: string;
  readonly providerName: string;
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
}

/** A tag. The users and private keys themselves say which tags they carry. */
export interface TagRecord extends Dated {
  readonly tagName: string;
}

/** A person invited by mail. The user exists from the start, but can do nothing before accepting. */
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
  /** The language it was written in: 2 sees every parameter. Absent: the first, which saw few. */
  readonly language?: 2;
}

/** An ABI, an IDL or an ERC-7730 descriptor, for reading what transactions call. */
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

export interface WalletBody extends Dated {
  readonly walletName: string;
  readonly exported: boolean;
  readonly imported: boolean;
  /**
   * Accounts that were deleted while the wallet stayed, by id. SECURITY: the row of such an account stays genuine, and no sum
   * covers it. If somebody puts the row back, only this list gives it away. The organization's head vouches for the list with the
   * wallet.
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
  /** Present on an account whose private key was exported by itself. */
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
