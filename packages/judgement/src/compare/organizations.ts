import { maskUrl } from '@countersign/contract';
import type { Feature, FreezeRecord, OrganizationRecord } from '../records.ts';
import type { ComparedOrganization, Fields, Proposed } from './change.ts';
import { type CompareOf, changed, created, deleted, type Impossible } from './operation.ts';
import { credentialFields } from './people.ts';
import { reference, shownId } from './references.ts';
import { quoteText } from './shown-text.ts';

function ofProfile(
  { id, profile }: ComparedOrganization,
  change: Partial<OrganizationRecord>,
  also?: Proposed['also'],
): Proposed {
  return { kind: 'organization', id, before: profile, after: { ...profile, ...change }, ...(also && { also }) };
}

export const updateRootQuorum: CompareOf<'updateRootQuorum'> = ({ organization, params }) => [
  ofProfile(organization, { rootQuorum: params }),
];

type Renaming = { readonly organization: ComparedOrganization; readonly params: { readonly organizationName: string } };
const renamed = ({ organization, params }: Renaming) => [ofProfile(organization, { name: params.organizationName })];

export const updateOrganizationName: CompareOf<'updateOrganizationName'> = (request) => renamed(request);

/** The features with one of them set, or removed if it has no value. */
function withFeature({ profile }: ComparedOrganization, name: string, value: string | undefined): readonly Feature[] {
  const others = profile.features.filter((feature) => feature.name !== name);
  return value === undefined ? others : [...others, value === '' || value === 'true' ? { name } : { name, value }];
}

export const setOrganizationFeature: CompareOf<'setOrganizationFeature'> = ({ organization, params: { name, value } }) => {
  const before = organization.profile.features.find((feature) => feature.name === name)?.value;
  const also = hiddenDifference(name, before, value);
  return [ofProfile(organization, { features: withFeature(organization, name, value) }, also)];
};

export const removeOrganizationFeature: CompareOf<'removeOrganizationFeature'> = ({ organization, params }) => [
  ofProfile(organization, { features: withFeature(organization, params.name, undefined) }),
];

const ORIGINS = 'FEATURE_NAME_WEBAUTHN_ORIGINS';

export const updateAllowedOrigins: CompareOf<'updateAllowedOrigins'> = ({ organization, params: { allowedOrigins } }) => {
  const value = allowedOrigins.length === 0 ? undefined : allowedOrigins.join(',');
  return [ofProfile(organization, { features: withFeature(organization, ORIGINS, value) })];
};

/** The configuration after a request: what it omits stays. */
export const updateAuthProxyConfig: CompareOf<'updateAuthProxyConfig'> = ({ organization, params }) => {
  const before = organization.records.authProxy.get(organization.id);
  const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
  return [{ kind: 'authProxy', before, after: { ...before, ...given } }];
};

export const disableAuthProxy: CompareOf<'disableAuthProxy'> = (request) =>
  deleted(request, 'authProxy', [request.organization.id]);

/** A URL is shown without its path, which can contain a token. If only that part changes, the comparison says so. */
function hiddenDifference(field: string, before: string | undefined, after: string | undefined): Proposed['also'] {
  const isUrl = before !== undefined && after !== undefined && /^https?:/i.test(before) && before !== after;
  if (!isUrl || maskUrl(before) !== maskUrl(after)) return undefined;
  return { before: { [`${field}, hidden part`]: 'as it is' }, after: { [`${field}, hidden part`]: 'another one' } };
}

export const createWebhookEndpoint: CompareOf<'createWebhookEndpoint'> = ({
  params: { name, url, subscriptions, deliveryMode },
}) => [
  created(
    'webhookEndpoint',
    { name, url, ...(subscriptions !== undefined && { subscriptions }), ...(deliveryMode !== undefined && { deliveryMode }) },
    {
      ...(subscriptions === undefined && { also: { after: { subscription: 'all activities' } } }),
    },
  ),
];

export const updateWebhookEndpoint: CompareOf<'updateWebhookEndpoint'> = (request) => {
  const { endpointId, name, url, isActive, deliveryMode } = request.params;
  const change = {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(isActive !== undefined && { isActive }),
    ...(deliveryMode !== undefined && { deliveryMode }),
  };
  return changed(
    request,
    'webhookEndpoint',
    endpointId,
    (before) => ({ ...before, ...change }),
    (before) => ({ ...withAlso(hiddenDifference('URL', before.url, url)) }),
  );
};

const withAlso = (also: Proposed['also']) => (also === undefined ? {} : { also });

export const deleteWebhookEndpoint: CompareOf<'deleteWebhookEndpoint'> = (request) =>
  deleted(request, 'webhookEndpoint', [request.params.endpointId]);

/** The id of the list that a request names, and whose it is. */
function listOf(
  { id, records }: ComparedOrganization,
  publicKey: string | undefined,
): { readonly id: string; readonly of: string } | undefined {
  if (publicKey === undefined) return { id, of: 'the whole organization' };
  const key = publicKey.toLowerCase();
  for (const [keyId, record] of records.apiKey)
    if (record.publicKey === key) return { id: keyId, of: `API key ${quoteText(record.apiKeyName)} (${shownId(keyId)})` };
  return undefined;
}

export const setIpAllowlist: CompareOf<'setIpAllowlist'> = ({ organization, params }) => {
  const { publicKey, enabled = true, rules, onEvaluationError = 'DENY' } = params;
  const list = listOf(organization, publicKey);
  if (list === undefined) return noSuchKey(publicKey);
  const before = organization.records.ipAllowlist.get(list.id);
  const kept = rules?.map(({ cidr, label }) => ({ cidr, ...(label !== undefined && { label }), createdAtMs: 0 }));
  const after = {
    ...(publicKey === undefined && { enabled }),
    rules: kept ?? before?.rules ?? [],
    onEvaluationError,
  };
  return [{ kind: 'ipAllowlist', before, after, of: list.of }];
};

export const removeIpAllowlist: CompareOf<'removeIpAllowlist'> = ({ organization, params: { publicKey } }) => {
  const list = listOf(organization, publicKey);
  const before = list && organization.records.ipAllowlist.get(list.id);
  if (list === undefined || before === undefined) return noSuchKey(publicKey);
  return [{ kind: 'ipAllowlist', before, after: undefined, of: list.of }];
};

function noSuchKey(publicKey = 'of the organization'): readonly Impossible[] {
  return [{ kind: 'ipAllowlist', id: publicKey, problem: 'does not exist, so the request fails' }];
}

type FreezeParams = {
  readonly wholeOrganization?: boolean | undefined;
  readonly [list: string]: unknown;
};

const lists: readonly (readonly [string, FreezeRecord['target'], string])[] = [
  ['userIds', 'USER', 'user'],
  ['walletIds', 'WALLET', 'wallet'],
  ['privateKeyIds', 'PRIVATE_KEY', 'private key'],
];

/** The objects that a request freezes or unfreezes: the organization first, then users. */
function* frozenObjects(organization: ComparedOrganization, params: FreezeParams) {
  if (params.wholeOrganization === true)
    yield { id: organization.id, target: 'ORGANIZATION' as const, of: 'the whole organization' };
  for (const [name, target, word] of lists)
    for (const id of (params[name] as readonly string[] | undefined) ?? [])
      yield { id, target, of: target === 'USER' ? reference(organization, 'user', id) : `${word} ${shownId(id)}` };
}

export const freeze: CompareOf<'freeze'> = function* ({ organization, params, submitterId }) {
  for (const { id, target, of } of frozenObjects(organization, params))
    if (!organization.records.freeze.has(id))
      yield created('freeze', { target, reason: params.reason, frozenBy: submitterId }, { of });
};

export const unfreeze: CompareOf<'unfreeze'> = function* ({ organization, params }) {
  for (const { id, of } of frozenObjects(organization, params)) {
    const before = organization.records.freeze.get(id);
    if (before !== undefined) yield { kind: 'freeze', before, after: undefined, of };
  }
};

export const createSubOrganization: CompareOf<'createSubOrganization'> = ({ params }) => {
  const { subOrganizationName: name, rootQuorumThreshold, rootUsers } = params;
  const also: Fields = {
    'approvals of root users that are needed': `${rootQuorumThreshold} of ${rootUsers.length}`,
    'root user': rootUsers.map((user) => rootUserWords(user)),
  };
  return [created('organization', { name }, { also: { after: also } })];
};

type RootUser = Parameters<typeof credentialFields>[0];

function rootUserWords(user: RootUser): string {
  const contacts = [user.userEmail, user.userPhoneNumber].filter((contact) => contact !== undefined).map(quoteText);
  const credentials = Object.entries(credentialFields(user)).flatMap(([name, list]) =>
    (list as readonly string[]).map((each) => `${name} ${each}`),
  );
  return [quoteText(user.userName), ...contacts, ...credentials].join(', ');
}

export const createOrganization: CompareOf<'createOrganization'> = ({ params }) => {
  const { organizationName: name, rootEmail, rootAuthenticator } = params;
  const root = rootUserWords({ userName: rootEmail, authenticators: [rootAuthenticator] });
  return [created('organization', { name }, { also: { after: { 'root user': root } } })];
};

/** The organization of the request is deleted. */
function* dissolved({ organization }: { readonly organization: ComparedOrganization }) {
  const { id, profile, records } = organization;
  const also = {
    before: { users: String(records.user.size), policies: String(records.policy.size), keys: 'all wallets and private keys' },
  };
  yield { kind: 'organization', id, before: profile, after: undefined, also } as const;
}

export const deleteOrganization: CompareOf<'deleteOrganization'> = dissolved;
export const deleteSubOrganization: CompareOf<'deleteSubOrganization'> = dissolved;
