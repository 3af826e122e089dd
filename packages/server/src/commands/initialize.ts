import { createECDH } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basePaths, defaults, ServiceError, shardIn } from '@countersign/contract';
import { z } from 'zod';
import { setupKeyRecord } from '../activities/credentials/create-setup-key.ts';
import { defaultFeatures } from '../activities/organizations/default-features.ts';
import { ConfigError } from '../config/config-error.ts';
import { makeDataDirectory, paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { type LoggedStep, toLoggedActivity } from '../log/entry.ts';
import { createdHeads } from '../log/logged-step.ts';
import { openService } from '../open-service.ts';
import { toAuditChanges } from '../organizations/activities/activity-record.ts';
import { FIRST_ORGANIZATION, firstOrganizationId } from '../organizations/first-organization.ts';
import { requireShard } from '../organizations/shard.ts';
import { applyNewOrganization } from '../organizations/snapshot/apply-changes.ts';
import type { LocalChange, NewOrganization } from '../organizations/snapshot/changes.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import { origin } from '../process/port-file.ts';
import { writeNewFile } from '../store/durable-file.ts';
import type { Write } from '../store/rows.ts';

const credentialsShape = z.strictObject({
  organizationId: z.uuid(),
  userId: z.uuid(),
  apiPublicKey: z.string().length(66),
  apiPrivateKey: z.string().length(64),
  baseUrl: z.string(),
});

/** The first organization and the API key of its root user. */
export type FirstCredentials = Readonly<z.output<typeof credentialsShape>>;

export type Initialized = FirstCredentials & {
  readonly credentialsFile: string;
  /** The private half of the root user's set-up key, if requested. It is not stored. */
  readonly setupToken?: string;
};

export interface FirstNames {
  readonly organizationName: string;
  readonly userName: string;
}

/** Creates the first organization with a root user and an API key, saved with mode 0600. Throws if one exists. */
export async function initialize(config: Config, names: FirstNames): Promise<Initialized> {
  const service = await openService(config);
  try {
    const made = await createFirstOrganization(config, service.services, names);
    if (made === undefined) {
      throw new ConfigError(
        'This installation already has its first organization.',
        `Its credentials were saved as ${paths.credentials(config)} when it was created. For another installation, use another --data-dir or database.`,
      );
    }
    return made;
  } finally {
    await service.close();
  }
}

/**
 * Like `initialize`, on an open installation. Returns undefined if the first organization exists. With `withSetupKey` the root user also
 * gets a one-time key that registers a passkey, and does nothing else. With `isThrowAway` the organization is marked as an example.
 * Resumes an interrupted first run. The order makes that safe: first the credentials go to disk, then the organization is
 * claimed, then it is written. So neither a crash nor a second node can leave two organizations, or one without a key.
 */
export async function createFirstOrganization(
  config: Config,
  services: Pick<PipelineServices, 'store' | 'vault' | 'newId' | 'newOrganizationId' | 'clock' | 'commits'>,
  { organizationName, userName }: FirstNames,
  { withSetupKey = false, isThrowAway = false } = {},
): Promise<Initialized | undefined> {
  const { store, vault, newId, newOrganizationId, clock, commits } = services;
  // Another node may have created it for another shard since this one was opened.
  const own = { shard: shardIn(newOrganizationId()) ?? 0 };
  const claimed = await firstOrganizationId(store);
  if (claimed !== undefined) requireShard(own, claimed, 'This database is');
  if (claimed !== undefined && (await store.organizations.head(claimed)) !== undefined) return undefined;
  const credentialsFile = paths.credentials(config);
  makeDataDirectory(config);
  const credentials =
    readCredentials(credentialsFile) ?? (await saveCredentials(credentialsFile, generateCredentials(config, services)));
  const { organizationId, userId } = credentials;
  requireShard(own, organizationId, `The credentials in ${credentialsFile} are`);
  const claim = await store.vault.settingOnce({ name: FIRST_ORGANIZATION, body: organizationId });
  if (claim.body !== organizationId) {
    throw new ConfigError(
      `Another node is creating the first organization, or its first run was interrupted: ${claim.body}.`,
      `Start that node again, or copy its credentials.json to ${credentialsFile}.`,
    );
  }
  const nowMs = clock.nowMs();
  const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
  const setup = withSetupKey ? await vault.service.issueOneTimeKey() : undefined;
  const dataKey = await vault.service.createDataKey(organizationId);
  const created: NewOrganization = {
    op: 'createOrganization',
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
          ...(isThrowAway && { throwAway: true as const }),
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
      ...(setup === undefined ? [] : [setupKeyChange(newId(), userId, setup.publicKey, nowMs)]),
    ],
  };
  const writes = applyNewOrganization(vault.integrity, '', created);
  const changed = toAuditChanges(created.changes);
  const record = {
    id: newId(),
    organizationId,
    type: 'ACTIVITY_TYPE_CREATE_ORGANIZATION_V2',
    status: 'ACTIVITY_STATUS_COMPLETED' as const,
    fingerprint: `init:${organizationId}`,
    timestampMs: String(nowMs),
    intent: { organizationName },
    result: { organizationId },
    ...(changed && { changed }),
    failure: null,
    votes: [],
    decisions: [],
    ...dates,
  };
  const outcome = await commits.committer.commit({
    organizationId,
    expected: { version: 0, mac: new Uint8Array() },
    ...toLoggedActivity(vault.integrity, record, 0, firstStep(organizationId, commits.epoch, writes)),
    writes,
  });
  if (outcome.taken) return { ...credentials, credentialsFile, ...(setup && { setupToken: setup.privateKeyHex }) };
  // Another first run with these credentials was faster.
  if ((await store.organizations.head(organizationId)) !== undefined) return undefined;
  throw new ServiceError('INTERNAL', `The first organization could not be written: ${outcome.reason}`);
}

/** The first organization has no authorization: the operator who runs the command owns the installation. */
function firstStep(organizationId: string, epoch: number, writes: readonly Write[]): LoggedStep {
  const created = createdHeads(writes);
  const own = created.find((head) => head.organizationId === organizationId);
  if (own === undefined) throw new Error('the first organization has no head');
  const { headVersion, headDigest } = own;
  return { epoch, credentialKind: 'NONE', authorizationDigest: '', headVersion, headDigest, created };
}

function setupKeyChange(id: string, userId: string, publicKey: Uint8Array, nowMs: number): LocalChange {
  const publicKeyHex = Buffer.from(publicKey).toString('hex');
  return { op: 'putRecord', kind: 'apiKey', id, body: setupKeyRecord(userId, publicKeyHex, defaults.setupKeySeconds, nowMs) };
}

function generateCredentials(
  config: Config,
  { newId, newOrganizationId }: Pick<PipelineServices, 'newId' | 'newOrganizationId'>,
): FirstCredentials {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  return {
    organizationId: newOrganizationId(),
    userId: newId(),
    apiPublicKey: keys.getPublicKey('hex', 'compressed'),
    apiPrivateKey: keys.getPrivateKey('hex').padStart(64, '0'),
    baseUrl: `${origin(config, config.port)}${basePaths(config.compatRoot).spec}`,
  };
}

function readCredentials(path: string): FirstCredentials | undefined {
  try {
    return credentialsShape.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigError(
      `${path} exists, but does not contain valid credentials.`,
      'Move it: it belongs to something else, or writing it was interrupted.',
      { cause },
    );
  }
}

/**
 * INVARIANT: durable before anything relies on it, and never replaced. Of two first runs in one directory, the second continues
 * with the credentials of the first, because the first may have claimed the organization with them.
 */
async function saveCredentials(path: string, credentials: FirstCredentials): Promise<FirstCredentials> {
  const saved = await writeNewFile(path, Buffer.from(`${JSON.stringify(credentials, null, 2)}\n`)).catch((cause: unknown) => {
    throw new ConfigError(
      `The first credentials cannot be saved as ${path}: ${(cause as NodeJS.ErrnoException).code}.`,
      'Give this user write access there, or choose another --data-dir.',
      { cause },
    );
  });
  if (saved) return credentials;
  const first = readCredentials(path);
  if (first === undefined) throw new ConfigError(`${path} disappeared while it was being read.`, 'Start again.');
  return first;
}
