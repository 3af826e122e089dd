import { maskFeature, maskUrl, rpcProofs } from '@countersign/contract';
import { isSession } from '../credential-strength.ts';
import type { RecordBodies } from '../record-kinds.ts';
import type { Dated } from '../records.ts';
import type { ComparedKind, ComparedOrganization, Fields, Written } from './change.ts';
import { limitFields } from './limit-fields.ts';
import { methodWords } from './method-words.ts';
import { reference } from './references.ts';
import { quoteText } from './shown-text.ts';

type Member<Body, K extends keyof Body> = (
  value: NonNullable<Body[K]>,
  organization: ComparedOrganization,
  record: Body,
) => Fields;

/** How each member of a record is shown. `null` is for members that no person decides on. */
type Table<Body> = { readonly [K in Exclude<keyof Body, keyof Dated>]-?: Member<Body, K> | null };

const written = (text: string): Written => ({ written: text });
const seconds = (text: string) => `${text} seconds`;
const user = (id: string, organization: ComparedOrganization) => ({ user: reference(organization, 'user', id) });

/**
 * The members of each kind of record in words.
 * INVARIANT: complete. A record with a new member does not compile until the member has words here.
 */
const members: { readonly [K in ComparedKind]: Table<RecordBodies[K]> } = {
  organization: {
    name: (name) => ({ name: written(name) }),
    parentId: null,
    rootQuorum: ({ threshold, userIds }, organization) => ({
      'approvals of root users that are needed': `${threshold} of ${userIds.length}`,
      'root user': userIds.map((id) => reference(organization, 'user', id)),
    }),
    features: (features) =>
      Object.fromEntries(
        features.map(maskFeature).map(({ name, value }) => [name, value === undefined ? 'on' : written(value)] as const),
      ),
    first: null,
    throwAway: null,
    billingTier: null,
    paymentMethod: null,
    deletedAtMs: null,
  },
  user: {
    userName: (name) => ({ name: written(name) }),
    userEmail: (email) => ({ 'email address': written(email) }),
    userPhoneNumber: (number) => ({ 'phone number': written(number) }),
    userEmailState: null,
    userPhoneNumberState: null,
    userTags: (ids, organization) => ({ tag: ids.map((id) => reference(organization, 'userTag', id)) }),
  },
  apiKey: {
    userId: user,
    apiKeyName: (name) => ({ name: written(name) }),
    publicKey: (key) => ({ 'public key': key }),
    curve: (curve) => ({ curve }),
    type: (_, __, record) => ({ kind: isSession(record) ? 'session' : 'API key' }),
    expirationSeconds: (text) => ({ 'ends after': seconds(text) }),
    provenAtMs: null,
    statedByParent: null,
    messageId: null,
    endsOthers: null,
    restrictedTo: ({ activity }) => ({ 'valid only for': activity }),
    exchanged: null,
    presents: (presented, _, { type }) =>
      type === rpcProofs.RPC_PROOF_CERTIFICATE
        ? { 'JSON-RPC client certificate': presented }
        : { 'SHA-256 of the JSON-RPC token': presented },
    origin: null,
    limitedTo: ({ sessionProfileId }, organization) => ({
      'session profile': reference(organization, 'sessionProfile', sessionProfileId),
    }),
  },
  authenticator: {
    userId: user,
    authenticatorName: (name) => ({ name: written(name) }),
    credentialId: (id) => ({ 'credential id': written(id) }),
    publicKey: null,
    rpId: (site) => ({ site: written(site) }),
    counter: null,
    provenAtMs: null,
    statedByParent: null,
    backupEligible: null,
    aaguid: null,
    attestationType: null,
    model: (model) => ({ model: written(model) }),
    transports: null,
  },
  oauthProvider: {
    userId: user,
    providerName: (name) => ({ name: written(name) }),
    issuer: (issuer) => ({ issuer: written(issuer) }),
    audience: (audience) => ({ audience: written(audience) }),
    subject: (subject) => ({ 'account at the issuer': written(subject) }),
  },
  userTag: { tagName: (name) => ({ name: written(name) }) },
  privateKeyTag: { tagName: (name) => ({ name: written(name) }) },
  invitation: {
    receiverUserId: null,
    receiverUserName: (name) => ({ name: written(name) }),
    receiverEmail: (email) => ({ 'email address': written(email) }),
    receiverUserTags: (ids, organization) => ({ tag: ids.map((id) => reference(organization, 'userTag', id)) }),
    accessType: (type) => ({ access: type }),
    senderUserId: (id, organization) => ({ 'invited by': reference(organization, 'user', id) }),
    status: null,
  },
  policy: {
    policyName: (name) => ({ name: written(name) }),
    effect: (effect) => ({ effect: effect === 'EFFECT_ALLOW' ? 'allows' : 'denies' }),
    condition: (text) => ({ condition: written(text) }),
    consensus: (text) => ({ consensus: written(text) }),
    time: (text) => ({ time: written(text) }),
    notes: (text) => ({ notes: text === '' ? undefined : written(text) }),
    language: (language) => ({ 'language version': String(language) }),
  },
  smartContractInterface: {
    label: (label) => ({ name: written(label) }),
    smartContractAddress: (address) => ({ contract: written(address) }),
    smartContractInterface: (text) => ({ interface: written(text) }),
    type: (type) => ({ type }),
    notes: (text) => ({ notes: text === '' ? undefined : written(text) }),
  },
  contact: {
    label: (label) => ({ name: written(label) }),
    address: (address) => ({ address: written(address) }),
    contactTags: (tags) => ({ tag: tags.map(quoteText) }),
    notes: (text) => ({ notes: text === '' ? undefined : written(text) }),
  },
  token: {
    asset: (asset) => ({ asset: written(asset) }),
    symbol: (symbol) => ({ name: written(symbol) }),
    decimals: (decimals) => ({ decimals: String(decimals) }),
  },
  secret: {
    name: (name) => ({ name: written(name) }),
    staticProperties: (properties) => ({
      property: properties.map(({ key, value }) => `${quoteText(key)} = ${quoteText(value)}`),
    }),
    exported: (exported) => ({ exported: exported ? 'yes' : 'no' }),
  },
  velocityControl: limitFields,
  ipAllowlist: {
    enabled: (enabled) => ({ enforced: enabled ? 'yes' : 'no' }),
    rules: (rules) => ({
      'allowed range': rules.map(({ cidr, label }) =>
        label === undefined ? quoteText(cidr) : `${quoteText(cidr)} ${quoteText(label)}`,
      ),
    }),
    onEvaluationError: (choice) => ({ 'requests from an unknown address': choice === 'ALLOW' ? 'allowed' : 'denied' }),
  },
  webhookEndpoint: {
    name: (name) => ({ name: written(name) }),
    url: (url) => ({ URL: written(maskUrl(url)) }),
    isActive: (isActive) => ({ active: isActive ? 'yes' : 'no' }),
    subscriptions: (subscriptions) => ({
      subscription: subscriptions.map((each) => quoteText(JSON.stringify(each))),
    }),
    deliveryMode: (mode) => ({ 'delivery mode': mode }),
    disabledAtMs: null,
  },
  sessionProfile: {
    sessionProfileName: (name) => ({ name: written(name) }),
    scope: (text) => ({ 'its sessions may': written(text) }),
    expirationSeconds: (text) => ({ 'sessions end after': seconds(text) }),
    notes: (text) => ({ notes: written(text) }),
  },
  mfaPolicy: {
    userId: user,
    mfaPolicyName: (name) => ({ name: written(name) }),
    condition: (text) => ({ condition: written(text) }),
    requiredAuthenticationMethods: (steps, organization) => ({
      'required methods': steps.map((step, index) => `${index + 1}. ${methodWords(step.any, organization)}`),
    }),
    order: (order) => ({ order: String(order) }),
    notes: (text) => ({ notes: text === '' ? undefined : written(text) }),
  },
  pushSubscription: {
    userId: user,
    subscribedWith: null,
    name: (name) => ({ name: written(name) }),
    endpoint: null,
    p256dh: null,
    auth: null,
  },
  authProxy: {
    allowedOrigins: (origins) => ({ 'page that may use it': origins.map(quoteText) }),
    allowedAuthMethods: (methods) => ({ 'way to sign in': [...methods] }),
    allowSignUp: (allowed) => ({ 'people without an account': allowed ? 'get a sub-organization' : 'are rejected' }),
    sendFromEmailAddress: (address) => ({ sender: written(address) }),
    sendFromEmailSenderName: (name) => ({ 'name of the sender': written(name) }),
    replyToEmailAddress: (address) => ({ 'address for replies': written(address) }),
    emailCustomizationParams: (look) => ({ 'look of emails': written(JSON.stringify(look)) }),
    smsCustomizationParams: (look) => ({ 'text messages': written(JSON.stringify(look)) }),
    walletKitSettings: (settings) => ({ 'settings of React components': written(JSON.stringify(settings)) }),
    otpExpirationSeconds: (count) => ({ 'codes end after': seconds(String(count)) }),
    verificationTokenExpirationSeconds: (count) => ({ 'proofs of contacts end after': seconds(String(count)) }),
    sessionExpirationSeconds: (count) => ({ 'sessions end after': seconds(String(count)) }),
    sessionProfileId: (id, organization) => ({
      'session profile': id === '' ? undefined : reference(organization, 'sessionProfile', id),
    }),
    otpAlphanumeric: (both) => ({ 'characters of codes': both ? 'letters and digits' : 'digits' }),
    otpLength: (length) => ({ 'length of codes': String(length) }),
    captchaEnabled: (enabled) => ({ captcha: enabled ? 'required' : 'not required' }),
    verificationTokenRequiredForGetAccountPii: null,
    wallet: (wallet) => ({ 'wallet of new sub-organizations': written(JSON.stringify(wallet)) }),
  },
  oauth2Credential: {
    provider: (name) => ({ provider: written(name) }),
    clientId: (clientId) => ({ 'client id': written(clientId) }),
    secretId: null,
  },
  freeze: {
    target: null,
    reason: (reason) => ({ reason: written(reason) }),
    frozenBy: (id, organization) => ({ 'frozen by': reference(organization, 'user', id) }),
  },
};

/** What an absent member means. */
const implied: { readonly [K in ComparedKind]?: Readonly<Record<string, unknown>> } = { policy: { language: 1 } };

/** The fields of a record in words. Members that are absent have none. */
export function fieldsOf<K extends ComparedKind>(
  kind: K,
  record: Partial<Omit<RecordBodies[K], keyof Dated>> | undefined,
  organization: ComparedOrganization,
): Fields {
  if (record === undefined) return {};
  const table = members[kind] as Readonly<Record<string, ((value: unknown, ...rest: unknown[]) => Fields) | null>>;
  const values = record as Readonly<Record<string, unknown>>;
  const shown = Object.keys(table).map((name) => {
    const value = values[name] ?? implied[kind]?.[name];
    return value === undefined ? undefined : table[name]?.(value, organization, record);
  });
  return Object.assign({}, ...shown) as Fields;
}
