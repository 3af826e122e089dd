import type {
  AccessType,
  ApiKeyCurve,
  AuthenticationType,
  AuthenticatorTransport,
  CredentialType,
  OtpType,
  WebhookSubscription,
} from '@countersign/contract';

/** When a record was made and last changed, in milliseconds since the epoch. */
interface Dated {
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
  /** Present on the first organization of the installation: it belongs to the operator and makes further top-level ones. */
  readonly first?: true;
  /** The name of the tier whose limits apply. */
  readonly billingTier?: string;
  readonly paymentMethod?: PaymentMethod;
  /** Present on what is left of a deleted organization: a name, and the activities that led there. */
  readonly deletedAtMs?: number;
}

/** A feature that is on. */
export interface Feature {
  readonly name: string;
  readonly value?: string;
}

/** A reference that a payment provider gave. */
export interface PaymentMethod {
  readonly paymentMethodId: string;
  readonly cardHolderName: string;
  readonly cardHolderEmail: string;
}

/** How far it is known that a contact belongs to its user, and since when. */
export interface ContactState {
  /**
   * CREATED: named by whoever made the user, and could have given the user any credential. QUORUM: the root quorum vouches for it.
   * CODE: the user showed a code that was sent there. UNVERIFIED: somebody entered it; it signs nobody in.
   */
  readonly how: 'CREATED' | 'QUORUM' | 'CODE' | 'UNVERIFIED';
  readonly atMs: number;
}

export interface UserRecord extends Dated {
  readonly userName: string;
  readonly userEmail?: string;
  readonly userPhoneNumber?: string;
  /** Absent for a contact that the user was made with. */
  readonly userEmailState?: ContactState;
  readonly userPhoneNumberState?: ContactState;
  readonly userTags: readonly string[];
}

export interface ApiKeyRecord extends Dated {
  readonly userId: string;
  readonly apiKeyName: string;
  /** Lower-case compressed hexadecimal: the one canonical form. */
  readonly publicKey: string;
  readonly curve: ApiKeyCurve;
  readonly type: CredentialType;
  readonly expirationSeconds?: string;
  /** When it first stamped an activity of this sub-organization: from then on it is known that its holder belongs here. */
  readonly provenAtMs?: number;
  /** Present on a one-time key: the one activity it may submit, and the object that activity must be about. */
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
  /** The relying party it answers for, and no other. */
  readonly rpId: string;
  /** The signature counter at its last accepted use; 0 where the authenticator keeps none. */
  readonly counter: number;
  /** As for API keys. */
  readonly provenAtMs?: number;
  readonly aaguid: string;
  readonly attestationType: string;
  readonly model: string;
  readonly transports: readonly AuthenticatorTransport[];
}

/** A link to an OpenID Connect identity. The token it was registered with is not kept. */
export interface OauthProviderRecord extends Dated {
  readonly userId: string;
  readonly providerName: string;
  readonly issuer: string;
  readonly audience: string;
  readonly subject: string;
}

/** A session that may only read. Its id is the SHA-256 of its token in hexadecimal; the token itself is not kept. */
export interface ReadOnlySessionRecord extends Dated {
  readonly userId: string;
  readonly expiresAtMs: number;
  /** As for API keys. */
  readonly origin?: SessionOrigin;
}

/** A key of the service that one user may encrypt one import to. The sealed private half has the same id. */
export interface ImportTargetRecord extends Dated {
  readonly userId: string;
  readonly use: 'IMPORT_WALLET' | 'IMPORT_PRIVATE_KEY';
  readonly expiresAtMs: number;
}

/**
 * A token, of OpenID Connect or of a one-time code, that signed a user in or up, or proved a user's contact, and so never does again. Its
 * id is the SHA-256 of what is signed in it; the token is not kept. From `deadAtMs` on the token is refused for its age, and the record
 * is no longer needed.
 */
export interface UsedTokenRecord extends Dated {
  readonly userId: string;
  readonly deadAtMs: number;
}

/** A one-time code that was sent to somebody. It stays for a while after its use or its end, for the limits to be counted by. */
export interface OneTimeCodeRecord extends Dated {
  /** What it may be exchanged for: a key of the user it names, or a token that proves the contact. */
  readonly use: 'SIGN_IN' | 'VERIFICATION';
  readonly otpType: OtpType;
  /** In its canonical form. */
  readonly contact: string;
  /** Whom it signs in. */
  readonly signsIn?: string;
  readonly alphanumeric: boolean;
  /** A keyed hash of the code, base64. */
  readonly digest: string;
  readonly triesLeft: number;
  readonly expiresAtMs: number;
  /** Present once it was accepted: it never is again. */
  readonly used?: true;
  /**
   * The sealed private half of the key that the code comes back encrypted to, base64. Present where it must come back so, and for as
   * long as it may: it goes with the use of the code, with the last wrong try, and with the record.
   */
  readonly sealedTarget?: string;
  /** A keyed hash of who asked for it, base64. */
  readonly askedBy?: string;
}

/** A tag. Who and what carries it is said in the users and private keys themselves. */
export interface TagRecord extends Dated {
  readonly tagName: string;
}

/** Somebody who was invited by mail. The user is there from the beginning, and can do nothing before accepting. */
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

/** An ABI or IDL that call data of transactions is decoded against. */
export interface SmartContractInterfaceRecord extends Dated {
  readonly label: string;
  /** In its canonical form. */
  readonly smartContractAddress: string;
  readonly smartContractInterface: string;
  readonly type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM' | 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA';
  readonly notes: string;
}

/** Where activities of the organization, and of its sub-organizations, are told. */
export interface WebhookEndpointRecord extends Dated {
  readonly name: string;
  readonly url: string;
  readonly isActive: boolean;
  readonly subscriptions: readonly WebhookSubscription[];
}

/**
 * The addresses that credentials may be used from. Its id is that of the organization, or of the API key that it governs alone.
 * The list of an API key is always in force, and has no `enabled`.
 */
export interface IpAllowlistRecord extends Dated {
  readonly enabled?: boolean;
  readonly rules: readonly IpAllowlistRule[];
  /** What becomes of a request whose address cannot be told. */
  readonly onEvaluationError: 'ALLOW' | 'DENY';
}

export interface IpAllowlistRule {
  /** In its canonical form. */
  readonly cidr: string;
  readonly label?: string;
  readonly createdAtMs: number;
}

/** The kinds of record that a snapshot holds whole. The key is the `kind` of the stored row. */
export interface RecordBodies {
  readonly organization: OrganizationRecord;
  readonly user: UserRecord;
  readonly apiKey: ApiKeyRecord;
  readonly authenticator: AuthenticatorRecord;
  readonly oauthProvider: OauthProviderRecord;
  readonly readOnlySession: ReadOnlySessionRecord;
  readonly importTarget: ImportTargetRecord;
  readonly usedToken: UsedTokenRecord;
  readonly oneTimeCode: OneTimeCodeRecord;
  readonly userTag: TagRecord;
  readonly privateKeyTag: TagRecord;
  readonly invitation: InvitationRecord;
  readonly policy: PolicyRecord;
  readonly smartContractInterface: SmartContractInterfaceRecord;
  readonly ipAllowlist: IpAllowlistRecord;
  readonly webhookEndpoint: WebhookEndpointRecord;
  readonly sessionProfile: SessionProfileRecord;
  readonly mfaPolicy: MfaPolicyRecord;
}

export type RecordKind = keyof RecordBodies;

/** Every kind of record. A kind that is missing here does not compile. */
export const recordKinds = Object.keys({
  organization: true,
  user: true,
  apiKey: true,
  authenticator: true,
  oauthProvider: true,
  readOnlySession: true,
  importTarget: true,
  usedToken: true,
  oneTimeCode: true,
  userTag: true,
  privateKeyTag: true,
  invitation: true,
  policy: true,
  smartContractInterface: true,
  ipAllowlist: true,
  webhookEndpoint: true,
  sessionProfile: true,
  mfaPolicy: true,
} satisfies Record<RecordKind, true>) as readonly RecordKind[];

export interface WalletBody extends Dated {
  readonly walletName: string;
  readonly exported: boolean;
  readonly imported: boolean;
  /**
   * The accounts that were deleted while the wallet stayed, by id. SECURITY: the row of such an account is genuine for ever, and no sum
   * holds it; this list, which the organization's head vouches for with the wallet, is why it is told apart when somebody puts it back.
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
  /** Present on an account whose private key was given out by itself. */
  readonly exported?: true;
}

export interface PrivateKeyBody extends Dated {
  readonly privateKeyName: string;
  readonly curve: 'CURVE_SECP256K1' | 'CURVE_ED25519' | 'CURVE_P256';
  readonly publicKey: string;
  readonly addresses: readonly { readonly format: string; readonly address: string }[];
  readonly privateKeyTags: readonly string[];
  /** Present on a key that signs nothing any more. */
  readonly disabled?: true;
  readonly exported: boolean;
  readonly imported: boolean;
}

/** The kinds of resource that are looked up singly. Wallets and private keys count into the organization's key sum; accounts hang under a wallet. */
export interface ResourceBodies {
  readonly wallet: WalletBody;
  readonly walletAccount: WalletAccountBody;
  readonly privateKey: PrivateKeyBody;
}

export type ResourceKind = keyof ResourceBodies;

/** A resource whose MAC was checked. */
export interface Resource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly id: string;
  readonly parentId: string;
  readonly body: ResourceBodies[K];
  readonly mac: Uint8Array;
}
