import type {
  AccessType,
  ApiKeyCurve,
  AuthenticationType,
  AuthenticatorTransport,
  CredentialType,
  OtpType,
  SmartContractInterfaceShape,
  WebhookSubscription,
} from '@countersign/contract';

/** When a record was created and last changed, in milliseconds since the epoch. */
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

/** A receiver of events about activities of the organization and of its sub-organizations. */
export interface WebhookEndpointRecord extends Dated {
  readonly name: string;
  readonly url: string;
  readonly isActive: boolean;
  readonly subscriptions: readonly WebhookSubscription[];
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

/** The kinds of record that a snapshot contains in full. The key is the `kind` of the stored row. */
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
  readonly wrongTries: WrongTriesRecord;
  readonly userTag: TagRecord;
  readonly privateKeyTag: TagRecord;
  readonly invitation: InvitationRecord;
  readonly policy: PolicyRecord;
  readonly smartContractInterface: SmartContractInterfaceRecord;
  readonly contact: ContactRecord;
  readonly token: TokenRecord;
  readonly openActivity: OpenActivityRecord;
  readonly ipAllowlist: IpAllowlistRecord;
  readonly webhookEndpoint: WebhookEndpointRecord;
  readonly sessionProfile: SessionProfileRecord;
  readonly mfaPolicy: MfaPolicyRecord;
}

export type RecordKind = keyof RecordBodies;

/** Every kind of record. Leaving a kind out is a compile error. */
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
  wrongTries: true,
  userTag: true,
  privateKeyTag: true,
  invitation: true,
  policy: true,
  smartContractInterface: true,
  contact: true,
  token: true,
  openActivity: true,
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

/**
 * The kinds of resource that are looked up one by one. Wallets and private keys count into the organization's key sum; accounts
 * belong to a wallet.
 */
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
