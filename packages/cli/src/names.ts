import { type Client, items, type PageRequest } from '@countersign/client';
import { NotFoundFault, UsageFault } from './faults.ts';

/** Something that people name: by its id, the beginning of its id, or its name. */
export interface Named {
  readonly id: string;
  readonly name?: string;
}

/** A kind of thing that flags ask for by id. */
export interface NamedKind {
  /** As people say it. */
  readonly noun: string;
  /** The command that lists them. */
  readonly command: string;
  list(client: Client): AsyncIterable<Named> | Promise<readonly Named[]>;
}

async function* named<T>(list: AsyncIterable<T>, read: (item: T) => Named): AsyncGenerator<Named> {
  for await (const item of list) yield read(item);
}

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
    noun: 'limit over time',
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
  activity: {
    noun: 'activity',
    command: 'list-activities',
    list: (client) =>
      named(
        items(client.listActivities, 'activities', ({ id }) => id),
        ({ id }) => ({ id }),
      ),
  },
};

/** Fields whose names do not say what they are. */
const otherFields: Readonly<Record<string, string>> = {
  approverIds: 'user',
  addUserIds: 'user',
  removeUserIds: 'user',
  rootUserIds: 'user',
  addPrivateKeyIds: 'privateKey',
  removePrivateKeyIds: 'privateKey',
};

/**
 * The kind that a field names by id.
 * SECURITY: a key to sign with is named by an address too, and somebody may call a key by the address of another. So only what is too
 * short for an address, or has a space, is looked up as a name.
 */
export function kindOfField(field: string, meant: string): NamedKind | undefined {
  if (field === 'signWith') return /^0x/i.test(meant) || !/^(.{1,19}|.*\s.*)$/.test(meant) ? undefined : namedKinds.privateKey;
  const stem = otherFields[field] ?? /^(\w+)Ids?$/.exec(field)?.[1];
  return stem === undefined ? undefined : namedKinds[stem];
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The shortest beginning of an id that is looked up: shorter ones are more likely a slip. */
const SHORTEST_PREFIX = 4;

/**
 * The id of what a person means by an id, a name or the beginning of an id.
 * SECURITY: a full id is never looked up, so nobody can give it to something else as a name. A text that fits several things is refused,
 * also where it is the name of one and the beginning of the id of another: names are chosen by others.
 */
export async function idOf(client: Client, kind: NamedKind, meant: string): Promise<Named> {
  if (uuid.test(meant)) return { id: meant };
  const found: Named[] = [];
  const prefix = meant.toLowerCase();
  for await (const each of await kind.list(client)) {
    if (each.id === meant) return { id: meant };
    if (each.name === meant || (meant.length >= SHORTEST_PREFIX && each.id.startsWith(prefix))) found.push(each);
  }
  const [only, second] = found;
  if (only === undefined) {
    throw new NotFoundFault(
      `No ${kind.noun} is called "${meant}", and the id of none begins with it.`,
      `Run "countersign ${kind.command}" to see them.`,
    );
  }
  if (second !== undefined) {
    throw new UsageFault(
      `"${meant}" may mean ${found.length === 2 ? 'two' : 'several'}: ${found.slice(0, 5).map(described).join(', ')}.`,
      'Give the whole id.',
    );
  }
  return only;
}

const described = ({ id, name }: Named) => (name === undefined ? id : `${name} (${id})`);
