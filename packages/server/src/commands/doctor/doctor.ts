import { statSync } from 'node:fs';
import { OperatorError, ServiceError } from '@countersign/contract';
import { refuseUnfinished } from '../../backup/unfinished.ts';
import { paths } from '../../config/paths.ts';
import type { Config } from '../../config/settings.ts';
import { clockBehind, markAltered } from '../../installation/clock/clock-error.ts';
import { clockHighWater } from '../../installation/clock/clock-high-water.ts';
import { MAX_BEHIND_MS } from '../../installation/clock/service-clock.ts';
import { systemClock } from '../../installation/clock/system-clock.ts';
import { EpochError } from '../../installation/epoch/epoch-error.ts';
import { checkEpoch, epochServices } from '../../installation/epoch/open-epoch.ts';
import { refuseEmptied } from '../../installation/epoch/refuse-emptied.ts';
import { checkMachine } from '../../installation/machine-binding.ts';
import { checkpointFile, checkpointPaths } from '../../log/checkpoint-file.ts';
import { findLostCommit } from '../../log/find-lost-commit.ts';
import { logOrigin } from '../../log/open-log.ts';
import { createActivityReader } from '../../organizations/activities/activities.ts';
import { firstOrganizationId } from '../../organizations/first-organization.ts';
import { type Resource, resourceKinds } from '../../organizations/records.ts';
import { loadChecked } from '../../organizations/snapshot/load.ts';
import { createResources } from '../../organizations/snapshot/resources.ts';
import type { Store } from '../../store/store.ts';
import { sealStore } from '../../vault/at-rest/sealed-store.ts';
import { RootKeyUnavailable, SignatureError, VaultError } from '../../vault/errors.ts';
import { openVaultFor } from '../../vault/open-vault-for.ts';
import { requireRootKey } from '../../vault/root-key/providers/providers.ts';
import type { Vault } from '../../vault/vault.ts';
import { openStoreAsIs, requireDatabase } from '../open-store-as-is.ts';
import { accessAdvice } from './access-advice.ts';
import {
  type Advice,
  connectionAdvice,
  factorAdvice,
  hasOpenQuorum,
  mailAdvice,
  networkAdvice,
  quorumAdvice,
  standbyAdvice,
  usersWithoutFactors,
} from './advice.ts';
import { checkCertificates } from './certificate-advice.ts';
import { checkArchives } from './check-archives.ts';
import { checkHeads } from './check-heads.ts';
import { checkIsolation } from './check-isolation.ts';
import { checkLog } from './check-log.ts';
import { checkSponsors } from './check-sponsors.ts';
import { checkWitnesses } from './check-witnesses.ts';
import { counted, type Finding } from './finding.ts';
import { type MisleadingNames, misleadingNamesOf, nameAdvice } from './misleading-names.ts';
import { rootKeyAdvice } from './root-key-advice.ts';
import { checkSigning } from './signing.ts';
import { type StricterStored, stricterAdvice, stricterStored } from './stricter-policies.ts';
import { type WeakCredential, weakCredentialsOf, weakKeyAdvice } from './weak-credentials.ts';

const toFinding = (advice: Advice): Finding => ({ ...advice, ok: true, warning: true });

const PAGE = 100;

/** Checks an installation, running or not. Changes nothing: an unfinished or old database is a finding, and ends the checks. */
export async function runDoctor(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    checkNode(),
    ...[...networkAdvice(config), ...mailAdvice(config)].map(toFinding),
    ...checkCertificates(config),
    await checkIsolation(config),
  ];
  let store: Store | undefined;
  let vault: Vault | undefined;
  try {
    requireDatabase(config);
    if (config.databaseUrl === undefined) findings.push(checkPrivate(paths.credentials(config), 'credentials file'));
    store = await openStoreAsIs(config);
    findings.push(...(await checkStore(store)));
    await refuseUnfinished(store.vault);
    requireRootKey(config);
    await refuseEmptied(config, store);
    vault = await openVaultFor(config, store);
    store = sealStore(store, vault.atRest);
    findings.push({
      check: 'vault',
      ok: true,
      detail: `root key ${vault.facts.rootKeyId} from ${vault.facts.rootKeySource} opens the database`,
    });
    findings.push(...rootKeyAdvice(config).map(toFinding), ...checkSigning(vault.facts));
    findings.push(await checkClock(store, vault));
    findings.push(await checkEpochOf(config, store, vault));
    const { logKey } = vault.service;
    const readSeenCheckpoints = () => Promise.all(checkpointPaths(config).map((file) => checkpointFile(file, logKey).read()));
    findings.push(...(await checkLog(store, vault.integrity, readSeenCheckpoints, systemClock.nowMs())));
    const lost = await findLostCommit(config, store, vault.integrity);
    findings.push(
      lost === undefined
        ? { check: 'commits', ok: true, detail: 'the database and its log have the commits that this data directory recorded' }
        : { check: 'commits', ok: false, detail: lost.message, fix: lost.fix },
    );
    findings.push(...(await checkWitnesses(config, store, vault, await logOrigin(config, store))));
    findings.push(...(await checkArchives(store, vault.integrity)));
    findings.push(...(await checkHeads(store, vault.integrity)));
    findings.push(...(await checkSponsorsOf(config, store, vault)));
    findings.push(...(await checkState(store, vault)));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    findings.push({
      check: error instanceof VaultError || error instanceof RootKeyUnavailable ? 'vault' : 'database',
      ok: false,
      detail: error.message,
      fix: error.fix,
    });
  } finally {
    vault?.close();
    await store?.close();
  }
  return findings;
}

function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    check: 'Node.js',
    ok,
    detail: `version ${process.versions.node}`,
    ...(!ok && { fix: 'Install Node.js 20.19 or later.' }),
  };
}

function checkPrivate(path: string, what: string): Finding {
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return { check: what, ok: true, detail: 'not in the data directory' };
  const open = (file.mode & 0o077) !== 0;
  return {
    check: what,
    ok: !open,
    detail: `${path} ${open ? 'can be read by others' : 'can be read only by its owner'}`,
    ...(open && { fix: `chmod 600 ${path}` }),
  };
}

async function checkStore(store: Store): Promise<Finding[]> {
  const described = await store.describe();
  const { engine, engineVersion, location, schemaVersion, durable, facts } = described;
  const settings = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  return [
    { check: 'database', ok: true, detail: `${engine} ${engineVersion} at ${location}, schema ${schemaVersion}` },
    {
      check: 'durability',
      ok: durable,
      detail: settings.join(', '),
      ...(!durable && {
        fix: 'Turn on fsync, full_page_writes and synchronous_commit: otherwise a crash can lose acknowledged activities.',
      }),
    },
    ...[...standbyAdvice(described), ...connectionAdvice(described)].map(toFinding),
  ];
}

/** Compares this machine's clock with the latest time that the installation recorded. */
async function checkClock(store: Store, vault: Vault): Promise<Finding> {
  const mark = await clockHighWater(store.vault, vault.integrity).read();
  if (mark === undefined) return { check: 'clock', ok: true, detail: 'no time was recorded yet' };
  const behindMs = mark.atMs === undefined ? 0 : mark.atMs - systemClock.nowMs();
  if (mark.atMs !== undefined && behindMs <= MAX_BEHIND_MS)
    return { check: 'clock', ok: true, detail: `time was last recorded at ${new Date(mark.atMs).toISOString()}` };
  const { message, fix } = mark.atMs === undefined ? markAltered() : clockBehind(behindMs);
  return { check: 'clock', ok: false, detail: message, fix };
}

/** Compares the epoch of the database with the one that this data directory has served. */
async function checkEpochOf(config: Config, store: Store, vault: Vault): Promise<Finding> {
  try {
    await checkMachine(config, vault.integrity);
    const { stored, seen } = await checkEpoch(epochServices(config, store, vault.integrity));
    if (stored === undefined) return { check: 'epoch', ok: true, detail: 'the first epoch starts with the service' };
    const since = `epoch ${stored.number}, since ${new Date(stored.raisedAtMs).toISOString()}`;
    const isNew = seen === undefined || seen.number < stored.number;
    return { check: 'epoch', ok: true, detail: isNew ? `${since}; this data directory has not served it yet` : since };
  } catch (error) {
    if (!(error instanceof EpochError)) throw error;
    return { check: 'epoch', ok: false, detail: error.message, fix: error.fix };
  }
}

function checkSponsorsOf({ gasSponsors }: Config, store: Store, { integrity }: Vault): Promise<readonly Finding[]> {
  const load = (id: string) => loadChecked(store.organizations, integrity, () => {}, id);
  return checkSponsors(gasSponsors, load, systemClock.nowMs());
}

/** Reads every organization, key and activity as the service would, and reports each one whose stored state does not verify. */
export async function checkState(store: Store, vault: Vault): Promise<Finding[]> {
  const silent = () => {};
  const resources = createResources(store, vault.integrity, silent);
  const activities = createActivityReader(store, vault.integrity, silent);
  const broken: Finding[] = [];
  const firstId = await firstOrganizationId(store);
  const access: Advice[] = [];
  const openQuorums: string[] = [];
  const withoutFactors: string[] = [];
  const weak: WeakCredential[] = [];
  const misleading: MisleadingNames[] = [];
  const stricter: StricterStored[] = [];
  let organizations = 0;

  const examine = async (organizationId: string, look: () => Promise<unknown>) => {
    try {
      await look();
    } catch (error) {
      const known = error instanceof ServiceError || error instanceof VaultError || error instanceof SignatureError;
      if (!known) throw error;
      broken.push({
        check: `state of ${organizationId}`,
        ok: false,
        detail: error.message,
        fix: 'Find out who wrote to the database, then restore it from a backup made before that.',
      });
    }
  };

  for (
    let ids = await store.organizations.scan('', PAGE);
    ids.length > 0;
    ids = await store.organizations.scan(ids.at(-1) as string, PAGE)
  ) {
    for (const id of ids) {
      organizations++;
      await examine(id, async () => {
        const snapshot = await loadChecked(store.organizations, vault.integrity, silent, id);
        if (snapshot === undefined) return;
        if (hasOpenQuorum(snapshot.profile)) openQuorums.push(id);
        if (id === firstId) access.push(...accessAdvice(snapshot));
        withoutFactors.push(...usersWithoutFactors(snapshot));
        weak.push(...weakCredentialsOf(snapshot));
        misleading.push(misleadingNamesOf(snapshot));
        stricter.push(...stricterStored(snapshot, systemClock.nowMs()));
        for (const secretId of snapshot.records.secret.keys()) await vault.transfers.checkBytes(id, secretId);
      });
      for (const kind of resourceKinds) {
        await examine(id, () =>
          pages(async (page) => {
            const found: readonly Resource[] = await resources.page(id, kind, page);
            for (const resource of found) await examine(id, () => openSecret(vault, id, resource));
            return found;
          }),
        );
      }
      await examine(id, async () => {
        for await (const _ of activities.pageParts(id, {}, { limit: Number.POSITIVE_INFINITY }));
      });
    }
  }
  const detail = `${counted(organizations, 'organization')}, with keys and activities, ${organizations === 1 ? 'verifies' : 'verify'}`;
  const found = [
    ...access,
    ...quorumAdvice(openQuorums),
    ...factorAdvice(withoutFactors),
    ...weakKeyAdvice(weak),
    ...nameAdvice(misleading),
    ...stricterAdvice(stricter),
  ];
  const advice = found.map(toFinding);
  return [...advice, ...(broken.length > 0 ? broken : [{ check: 'stored state', ok: true, detail }])];
}

/** Opens the secret of a wallet or private key without using it. Throws if it is missing or belongs to another row. */
async function openSecret(vault: Vault, organizationId: string, { kind, id, body }: Resource): Promise<void> {
  if (kind === 'wallet') await vault.keys.deriveAccounts(organizationId, id, []);
  if (kind !== 'privateKey') return;
  const { curve, publicKey } = body as Resource<'privateKey'>['body'];
  await vault.keys.sign(organizationId, { kind, id, curve }, Buffer.from(publicKey, 'hex'), []);
}

async function pages<T extends { readonly id: string }>(
  read: (page: { limit: number; after?: string }) => Promise<readonly T[]>,
): Promise<void> {
  let items = await read({ limit: PAGE });
  while (items.length === PAGE) items = await read({ limit: PAGE, after: (items.at(-1) as T).id });
}
