import { type Client, items, type PageRequest } from '@countersign/client';
import { NotFoundError, UsageError } from './errors.ts';

/** An object that users refer to by id, id prefix or name. */
export interface Named {
  readonly id: string;
  readonly name?: string;
}

/** A kind of object that flags reference by id. */
export interface NamedKind {
  /** Readable noun. */
  readonly noun: string;
  /** Command that lists them. */
  readonly command: string;
  list(client: Client): AsyncIterable<Named> | Promise<readonly Named[]>;
}

async function* named<T>(list: AsyncIterable<T>, read: (item: T) => Named): AsyncGenerator<Named> {
  for await (const item of list) yield read(item);
}

export const activityKind: NamedKind = {
  noun: 'activity',
  command: 'list-activities',
  list: (client) =>
    named(
      items(client.listActivities, 'activities', ({ id }) => id),
      ({ id }) => ({ id }),
    ),
};

/** The kinds by the name of a field without its `Id` or `Ids`. */
export const namedKinds: Readonly<Record<string, NamedKind>> = {
  user: {
    noun: 'user',
    command: 'list-users',
    list: (client) =>
      named(
        items(client.listUsers, 'users', ({ userId }) => userId),
        ({ userId, userName }) => ({ id: userId, name: userName }),
      ),
  },
  wallet: {
    noun: 'wallet',
    command: 'list-wallets',
    list: (client) =>
      named(
        items(client.listWallets, 'wallets', ({ walletId }) => walletId),
        ({ walletId, walletName }) => ({ id: walletId, name: walletName }),
      ),
  },
  privateKey: {
    noun: 'private key',
    command: 'list-private-keys',
    list: (client) =>
      named(
        items(client.listPrivateKeys, 'privateKeys', ({ privateKeyId }) => privateKeyId),
        ({ privateKeyId, privateKeyName }) => ({ id: privateKeyId, name: privateKeyName }),
      ),
  },
  policy: {
    noun: 'policy',
    command: 'list-policies',
    list: (client) =>
      named(
        items(client.listPolicies, 'policies', ({ policyId }) => policyId),
        ({ policyId, policyName }) => ({ id: policyId, name: policyName }),
      ),
  },
  userTag: {
    noun: 'user tag',
    command: 'list-user-tags',
    list: (client) =>
      named(
        items(client.listUserTags, 'userTags', ({ tagId }) => tagId),
        ({ tagId, tagName }) => ({ id: tagId, name: tagName }),
      ),
  },
  privateKeyTag: {
    noun: 'private key tag',
    command: 'list-private-key-tags',
    list: (client) =>
      named(
        items(client.listPrivateKeyTags, 'privateKeyTags', ({ tagId }) => tagId),
        ({ tagId, tagName }) => ({ id: tagId, name: tagName }),
      ),
  },
  contact: {
    noun: 'contact',
    command: 'list-contacts',
    list: (client) =>
      named(
        items(client.listContacts, 'contacts', ({ contactId }) => contactId),
        ({ contactId, label }) => ({ id: contactId, name: label }),
      ),
  },
  velocityControl: {
    noun: 'spending limit',
    command: 'list-velocity-controls',
    list: (client) =>
      named(
        items(
          (page: PageRequest) => client.listVelocityControls(page),
          'velocityControls',
          ({ velocityControlId }) => velocityControlId,
        ),
        ({ velocityControlId, name }) => ({ id: velocityControlId, name }),
      ),
  },
  smartContractInterface: {
    noun: 'contract interface',
    command: 'list-smart-contract-interfaces',
    list: async (client) =>
      (await client.listSmartContractInterfaces()).smartContractInterfaces.map(({ smartContractInterfaceId, label }) => ({
        id: smartContractInterfaceId,
        name: label,
      })),
  },
  sessionProfile: {
    noun: 'session profile',
    command: 'get-session-profiles',
    list: async (client) =>
      (await client.getSessionProfiles()).sessionProfiles.map(({ sessionProfileId, sessionProfileName }) => ({
        id: sessionProfileId,
        name: sessionProfileName,
      })),
  },
  endpoint: {
    noun: 'webhook endpoint',
    command: 'list-webhook-endpoints',
    list: async (client) =>
      (await client.listWebhookEndpoints()).webhookEndpoints.map(({ endpointId, name }) => ({ id: endpointId, name })),
  },
  apiKey: {
    noun: 'API key',
    command: 'get-api-keys',
    list: async (client) =>
      (await client.getApiKeys()).apiKeys.map(({ apiKeyId, apiKeyName }) => ({ id: apiKeyId, name: apiKeyName })),
  },
  activity: activityKind,
};

/** Fields whose names do not reveal their kind. */
const otherFields: Readonly<Record<string, string>> = {
  approverIds: 'user',
  addUserIds: 'user',
  removeUserIds: 'user',
  rootUserIds: 'user',
  addPrivateKeyIds: 'privateKey',
  removePrivateKeyIds: 'privateKey',
};

/**
 * The kind of object that a field references.
 * SECURITY: a signing key can also be an address, and another user may name a key like an address. So only text that is too short for an
 * address, or contains a space, is looked up as a name.
 */
export function kindOfField(field: string, reference: string): NamedKind | undefined {
  if (field === 'signWith')
    return /^0x/i.test(reference) || !/^(.{1,19}|.*\s.*)$/.test(reference) ? undefined : namedKinds.privateKey;
  const stem = otherFields[field] ?? /^(\w+)Ids?$/.exec(field)?.[1];
  return stem === undefined ? undefined : namedKinds[stem];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Minimum length of an id prefix. Shorter text is more likely a typing error. */
const SHORTEST_PREFIX = 4;

/**
 * Resolves an id, an id prefix or a name to an id.
 * SECURITY: a full id is never looked up, so it cannot match the name of another object. Text that matches several objects is rejected,
 * even if it is the name of one and the id prefix of another, because other users choose names.
 */
export async function idOf(client: Client, kind: NamedKind, reference: string): Promise<Named> {
  if (uuid.test(reference)) return { id: reference };
  const found: Named[] = [];
  for await (const each of await kind.list(client)) {
    if (each.id === reference) return { id: reference };
    if (matches(each, reference)) found.push(each);
  }
  const [only, second] = found;
  if (only === undefined) {
    throw new NotFoundError(
      `No ${kind.noun} has the name or id prefix "${reference}".`,
      `Run "countersign ${kind.command}" to list them.`,
    );
  }
  if (second !== undefined) {
    throw new UsageError(`"${reference}" is ambiguous: ${found.slice(0, 5).map(described).join(', ')}.`, 'Pass the full id.');
  }
  return only;
}

/** Whether a text is the name or an id prefix of an object. */
export function matches({ id, name }: Named, reference: string): boolean {
  return name === reference || (reference.length >= SHORTEST_PREFIX && id.startsWith(reference.toLowerCase()));
}

const described = ({ id, name }: Named) => (name === undefined ? id : `${name} (${id})`);
