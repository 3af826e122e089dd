import { hash, randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from '../../../packages/server/src/config/paths.ts';
import { toLoggedActivity } from '../../../packages/server/src/log/entry.ts';
import { headMembers } from '../../../packages/server/src/log/logged-step.ts';
import type { ActivityRecord } from '../../../packages/server/src/organizations/activities/activity-record.ts';
import { firstOrganizationId } from '../../../packages/server/src/organizations/first-organization.ts';
import type { Snapshot } from '../../../packages/server/src/organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../../../packages/server/src/pipeline/services.ts';
import { activityRecord } from '../../../packages/server/test/dialects/activity-record.ts';
import { type Engine, engines, type Installation } from '../../support/installation.ts';

export const allEngines = Object.keys(engines) as Engine[];

/** The other engine. */
export const otherEngine = (engine: Engine): Engine => (engine === 'sqlite' ? 'postgres' : 'sqlite');

/** Installations that are removed when the work is over. */
export async function withInstallations(
  work: (create: (engine: Engine) => Promise<Installation>) => Promise<void>,
): Promise<void> {
  const made: Installation[] = [];
  try {
    await work(async (engine) => {
      const installation = await engines[engine]();
      made.push(installation);
      return installation;
    });
  } finally {
    for (const installation of made) await installation.remove();
  }
}

/** Brings the root key of one installation to another, as an operator does before a restore. */
export function bringRootKey(from: Installation, to: Installation): void {
  copyFileSync(paths.rootKey(from.config), paths.rootKey(to.config));
}

/** Brings the credentials too, so that tests can call the restored service. */
export function bringCredentials(from: Installation, to: Installation): void {
  copyFileSync(paths.credentials(from.config), paths.credentials(to.config));
}

/** The name of a backup in the directory of an installation. */
export const backupFile = ({ directory }: Installation, name = 'one.backup') => join(directory, name);

/** Commits an activity and its entry for the log, as the pipeline does. */
export async function commitLogged(
  services: PipelineServices,
  of?: string,
  createdAtMs = Date.now(),
  change: Partial<ActivityRecord> = {},
): Promise<string> {
  const organizationId = of ?? ((await firstOrganizationId(services.store)) as string);
  const { head: expected } = (await services.organizations.snapshots.get(organizationId)) as Snapshot;
  const authorization = { credentialKind: 'API_KEY', authorizationDigest: hash('sha256', 'nobody') };
  const step = { epoch: services.commits.epoch, ...authorization, ...headMembers(expected) };
  const id = idAt(createdAtMs);
  const times = { createdAtMs, updatedAtMs: createdAtMs };
  const record = activityRecord('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', [], {
    organizationId,
    id,
    fingerprint: `sha256:${hash('sha256', id)}`,
    ...times,
    ...change,
  });
  const { integrity } = services.vault;
  const outcome = await services.commits.committer.commit({
    organizationId,
    expected,
    ...toLoggedActivity(integrity, record, 0, step),
    writes: [],
  });
  if (!outcome.taken) throw new Error(outcome.reason);
  return organizationId;
}

/** An id as the service would have given it at that time (RFC 9562, version 7). */
function idAt(timeMs: number): string {
  const time = timeMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${randomBytes(6).toString('hex')}`;
}
