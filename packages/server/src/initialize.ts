import { createECDH } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ServiceError } from '@countersign/contract';
import { z } from 'zod';
import { defaultFeatures } from './activities/organizations/default-features.ts';
import { ConfigFault } from './config/read-config.ts';
import type { Config } from './config/settings.ts';
import { toActivityRow } from './organizations/activity-record.ts';
import { sealNewOrganization } from './organizations/seal.ts';
import type { PipelineServices } from './pipeline/services.ts';
import { makeDataDirectory, openService, paths } from './service.ts';
import type { Store } from './store/store.ts';
import { writeNewFile } from './vault/providers/durable-file.ts';

const credentialsShape = z.strictObject({
  organizationId: z.uuid(),
  userId: z.uuid(),
  apiPublicKey: z.string().length(66),
  apiPrivateKey: z.string().length(64),
  baseUrl: z.string(),
});

/** The first organization and the key that commands it. */
export type FirstCredentials = Readonly<z.output<typeof credentialsShape>>;

export type Initialized = FirstCredentials & { readonly credentialsFile: string };

export interface FirstNames {
  readonly organizationName: string;
  readonly userName: string;
}

/** The mark that an installation has its first organization; its body is that organization's id. */
const FIRST_ORGANIZATION = 'first-organization';

/** The organization that belongs to the operator; undefined before the first run. */
export async function firstOrganizationId(store: Store): Promise<string | undefined> {
  return (await store.vault.setting(FIRST_ORGANIZATION))?.body;
}

/** Makes the first organization with a root user and an API key, saved 0600. Refuses where one exists. */
export async function initialize(config: Config, names: FirstNames): Promise<Initialized> {
  const service = await openService(config);
  try {
    const made = await createFirstOrganization(config, service.services, names);
    if (made === undefined) {
      throw new ConfigFault(
        'This installation has its first organization already.',
        `Its credentials were saved as ${paths.credentials(config)} when it was made; use another --data-dir or database for another installation.`,
      );
    }
    return made;
  } finally {
    await service.close();
  }
}

/**
 * As `initialize`, on an open installation; undefined where the first organization exists.
 * A first run that was cut off is taken up again: the credentials are on disk before the organization is claimed, and it is claimed
 * before it is written, so that neither a crash nor a second node can leave two of them, or one that nobody has the key of.
 */
export async function createFirstOrganization(
  config: Config,
  services: PipelineServices,
  { organizationName, userName }: FirstNames,
): Promise<Initialized | undefined> {
  const { store, vault, newId, clock } = services;
  const claimed = await firstOrganizationId(store);
  if (claimed !== undefined && (await store.organizations.head(claimed)) !== undefined) return undefined;
  const credentialsFile = paths.credentials(config);
  makeDataDirectory(config);
  const credentials =
    readCredentials(credentialsFile) ?? (await saveCredentials(credentialsFile, generateCredentials(config, newId)));
  const { organizationId, userId } = credentials;
  const claim = await store.vault.settingOnce({ name: FIRST_ORGANIZATION, body: organizationId });
  if (claim.body !== organizationId) {
    throw new ConfigFault(
      `Another node is making the first organization, or its first run was cut off: ${claim.body}.`,
      `Start that node again, or copy its credentials.json to ${credentialsFile}.`,
    );
  }
  const nowMs = clock.nowMs();
  const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
  const dataKey = await vault.service.createDataKey(organizationId);
  const writes = sealNewOrganization(vault.integrity, '', {
    op: 'found',
    organizationId,
    dataKey,
    changes: [
      {
        op: 'putRecord',
        kind: 'organization',
        id: organizationId,
        body: {
          name: organizationName,
          parentId: null,
          first: true,
          rootQuorum: { threshold: 1, userIds: [userId] },
          features: defaultFeatures({}),
          ...dates,
        },
      },
      { op: 'putRecord', kind: 'user', id: userId, body: { userName, userTags: [], ...dates } },
      {
        op: 'putRecord',
        kind: 'apiKey',
        id: newId(),
        body: {
          userId,
          apiKeyName: 'First key',
          publicKey: credentials.apiPublicKey,
          curve: 'API_KEY_CURVE_P256',
          type: 'CREDENTIAL_TYPE_API_KEY_P256',
          ...dates,
        },
      },
    ],
  });
  const record = {
    id: newId(),
    organizationId,
    type: 'ACTIVITY_TYPE_CREATE_ORGANIZATION_V2',
    status: 'ACTIVITY_STATUS_COMPLETED' as const,
    fingerprint: `init:${organizationId}`,
    timestampMs: String(nowMs),
    intent: { organizationName },
    result: { organizationId },
    failure: null,
    votes: [],
    decisions: [],
    ...dates,
  };
  const [outcome] = await store.commit([
    { organizationId, expectedVersion: 0, activity: toActivityRow(vault.integrity, record, 0), writes },
  ]);
  if (outcome?.taken === true) return { ...credentials, credentialsFile };
  // Another first run with these credentials was faster.
  if ((await store.organizations.head(organizationId)) !== undefined) return undefined;
  throw new ServiceError('INTERNAL', `The first organization could not be written: ${outcome?.reason}`);
}

function generateCredentials({ host, port }: Config, newId: () => string): FirstCredentials {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  return {
    organizationId: newId(),
    userId: newId(),
    apiPublicKey: keys.getPublicKey('hex', 'compressed'),
    apiPrivateKey: keys.getPrivateKey('hex').padStart(64, '0'),
    baseUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
  };
}

function readCredentials(path: string): FirstCredentials | undefined {
  try {
    return credentialsShape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigFault(
      `${path} is there, but cannot be read as credentials.`,
      'Move it away: it belongs to something else, or its writing was cut off.',
      { cause },
    );
  }
}

/**
 * INVARIANT: durable before anything relies on it, and never replaced: of two first runs in one directory, the second goes on with
 * the credentials of the first, since that one may have claimed the organization with them.
 */
async function saveCredentials(path: string, credentials: FirstCredentials): Promise<FirstCredentials> {
  const saved = await writeNewFile(path, Buffer.from(`${JSON.stringify(credentials, null, 2)}\n`)).catch((cause: unknown) => {
    throw new ConfigFault(
      `The first credentials cannot be saved as ${path}: ${(cause as NodeJS.ErrnoException).code}.`,
      'Give this user the right to write there, or choose another --data-dir.',
      { cause },
    );
  });
  if (saved) return credentials;
  const first = readCredentials(path);
  if (first === undefined) throw new ConfigFault(`${path} vanished while it was read.`, 'Start again.');
  return first;
}
