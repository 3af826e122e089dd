import { hash } from 'node:crypto';
import { refuseUnfinished } from '../backup/unfinished.ts';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { systemClock } from '../installation/clock/system-clock.ts';
import { epochSetting, nextEpoch } from '../installation/epoch/epoch.ts';
import { EpochError } from '../installation/epoch/epoch-error.ts';
import { epochFile } from '../installation/epoch/epoch-file.ts';
import { checkEpoch, epochServices, storedEpoch } from '../installation/epoch/open-epoch.ts';
import { refuseEmptied } from '../installation/epoch/refuse-emptied.ts';
import { checkMachine, setMachineAside } from '../installation/machine-binding.ts';
import type { SeenCheckpoint } from '../log/checkpoint-file.ts';
import { installationEntry, LOSS_ACCEPTED } from '../log/entry.ts';
import { findLostCommit } from '../log/find-lost-commit.ts';
import { setNotesAside } from '../log/note-files.ts';
import { rebuildHeads } from '../log/rebuild-heads.ts';
import { resealEntries } from '../log/reseal-entries.ts';
import { epochEntry } from '../log/verify-epoch.ts';
import { openStore } from '../store/open-store.ts';
import { forgetLostWal } from '../store/sqlite/lost-wal.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-errors.ts';
import { sealStore } from '../vault/at-rest/sealed-store.ts';
import { openVaultFor } from '../vault/open-vault-for.ts';
import { requireRootKey } from '../vault/root-key/providers/providers.ts';
import type { Vault } from '../vault/vault.ts';
import { type ComparedWithSeen, compareWithSeen, type LogVerdict, type SeenReport } from './compare-with-seen.ts';
import { openStoreAsIs, requireDatabase } from './open-store-as-is.ts';

export interface Recovery extends SeenReport {
  /** The new name of the checkpoint file. Null if no loss was accepted. */
  readonly setAside: string | null;
  /** Why this data directory may not serve the epoch of the database. Null if it may. */
  readonly epochFault: string | null;
  /** Describes what is missing in the write-ahead log of a SQLite database. Null if nothing is. */
  readonly walFault: string | null;
  /** The new epoch. Null if the epoch stays. */
  readonly raisedTo: number | null;
}

/**
 * Compares the database with the state that this server saw last. With `acceptLoss`, accepts the database as it is: the checkpoint file
 * is renamed, and the log gets an entry that records the loss. Every server must be stopped for that.
 * SECURITY: records that were deleted since are back, so the operator must decide. Bodies that were stamped earlier are not executed,
 * because some of them may have been executed already.
 */
export async function recover(config: Config, acceptLoss: boolean, system = systemClock): Promise<Recovery> {
  requireDatabase(config);
  requireRootKey(config);
  const { store: database, walFault } = await openAnyway(config, acceptLoss);
  try {
    const release = acceptLoss ? await database.lockInstallation('exclusive') : undefined;
    await refuseUnfinished(database.vault);
    await refuseEmptied(config, database);
    const vault = await openVaultFor(config, database);
    const store = sealStore(database, vault.atRest);
    try {
      const { report, ...losses } = await compareWithSeen(config, store, vault);
      const epochError = await epochErrorOf(async () => {
        await checkMachine(config, vault.integrity);
        await checkEpoch(epochServices(config, store, vault.integrity));
      });
      const loss = lossOf(report, walFault);
      const accepts = acceptLoss && (loss !== undefined || epochError !== undefined);
      const accepted = accepts ? await accept(config, store, vault, { ...losses, loss, atMs: system.nowMs() }) : NOTHING_ACCEPTED;
      return { ...report, epochFault: epochError?.message ?? null, ...accepted, walFault };
    } finally {
      vault.close();
      await release?.();
    }
  } finally {
    await database.close();
  }
}

/** Opens the database. One with a damaged write-ahead log is opened only once the loss is accepted: opening it destroys the evidence. */
async function openAnyway(config: Config, acceptLoss: boolean): Promise<{ store: Store; walFault: string | null }> {
  try {
    return { store: await (acceptLoss ? openStore : openStoreAsIs)(config), walFault: null };
  } catch (error) {
    if (!acceptLoss || !(error instanceof StoreError)) throw error;
    return { store: await openStore(config, { acceptLostWal: true }), walFault: error.message };
  }
}

type Loss = LogVerdict | 'WAL_INCOMPLETE' | 'COMMITS_MISSING';
type Accepted = Pick<Recovery, 'setAside' | 'raisedTo'>;

const NOTHING_ACCEPTED: Accepted = { setAside: null, raisedTo: null };

/** The loss that the log records if it is accepted. */
function lossOf({ verdict, commitFault }: Pick<Recovery, 'verdict' | 'commitFault'>, walFault: string | null): Loss | undefined {
  if (verdict !== 'SOUND') return verdict;
  if (walFault !== null) return 'WAL_INCOMPLETE';
  return commitFault === null ? undefined : 'COMMITS_MISSING';
}

interface AcceptedLoss extends Omit<ComparedWithSeen, 'report'> {
  /** Undefined if this data directory only may not serve the epoch of the database. */
  readonly loss: Loss | undefined;
  readonly atMs: number;
}

/**
 * Records the loss in the log and starts a new epoch, so that servers of the earlier one stop. Then updates the data directory.
 * INVARIANT: the database changes before any file changes. An interrupted run reports the loss twice rather than never.
 * SECURITY: D131: the entries are queued in the database until a server starts. The epoch is recorded in the data directory before its
 * high-water marks are renamed, and its leaf is required at startup, so the loss cannot be concealed in between.
 */
async function accept(
  config: Config,
  store: Store,
  { integrity }: Vault,
  { loss, checkpoint, unsound, atMs }: AcceptedLoss,
): Promise<Accepted> {
  const services = epochServices(config, store, integrity);
  const mark = epochFile(services.file, integrity);
  const known = [await orNothing(() => storedEpoch(services)), await orNothing(mark.read)];
  const highest = known.flatMap((epoch) => epoch ?? []).toSorted((a, b) => b.number - a.number);
  const raised = nextEpoch(highest[0] ?? FIRST, atMs);
  await store.maintain(async (maintenance) => {
    const { log } = maintenance.store;
    await resealEntries(log, integrity, known[0]?.number ?? FIRST.number, raised.number);
    if (loss !== undefined) await log.enqueue(lossEntry(integrity, raised.number, loss, checkpoint, atMs));
    const { name, body } = epochSetting(integrity, raised);
    await maintenance.putSetting(name, body);
    await log.enqueue(epochEntry(integrity, raised, 'RECOVERED'));
  });
  if (loss !== undefined) await rebuildHeads({ store, integrity, clock: { nowMs: () => atMs }, epoch: raised.number });
  if ((await epochErrorOf(() => checkMachine(config, integrity))) !== undefined) await setMachineAside(config, atMs);
  await mark.setAside(atMs);
  await mark.raise(raised);
  const aside: string[] = [];
  for (const file of unsound) aside.push((await file.setAside(atMs)) ?? '');
  if (config.databaseUrl === undefined) forgetLostWal(paths.database(config));
  if ((await findLostCommit(config, store, integrity)) !== undefined) await setNotesAside(config, atMs);
  return { setAside: aside[0] ?? null, raisedTo: raised.number };
}

async function epochErrorOf(check: () => Promise<unknown>): Promise<EpochError | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof EpochError) return error;
    throw error;
  }
}

/** A database without an epoch, from an earlier release, is in the first one. */
const FIRST = { number: 1, id: '', raisedAtMs: 0 };

/** Unreadable state is ignored, because the operator accepts its loss. */
async function orNothing<T>(read: () => Promise<T>): Promise<T | undefined> {
  let value: T | undefined;
  await epochErrorOf(async () => {
    value = await read();
  });
  return value;
}

/** The loss is recorded in the log: the digest is that of the seen checkpoint. */
function lossEntry(
  integrity: Vault['integrity'],
  epoch: number,
  status: Loss,
  checkpoint: SeenCheckpoint | 'UNREADABLE' | undefined,
  timeMs: number,
) {
  const known = typeof checkpoint === 'object' ? checkpoint : undefined;
  return installationEntry(integrity, epoch, `loss-${timeMs}`, {
    fingerprint:
      known === undefined ? 'checkpoint:unknown' : `checkpoint:${known.size}:${Buffer.from(known.root).toString('hex')}`,
    type: LOSS_ACCEPTED,
    status,
    decisionDigest: known === undefined ? '' : hash('sha256', known.checkpoint),
    resultDigest: '',
    timeMs,
  });
}
