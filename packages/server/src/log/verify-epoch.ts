import type { Epoch } from '../installation/epoch/epoch.ts';
import { epochNotLogged } from '../installation/epoch/epoch-error.ts';
import type { LogEntryRow } from '../store/rows.ts';
import type { Integrity } from '../vault/vault.ts';
import { EPOCH_RAISED, INSTALLATION, installationEntry } from './entry.ts';
import type { LogProofs } from './proofs.ts';

const LEAVES_AT_ONCE = 1_000;

/** Why an epoch began. */
export type RaisedBy = 'RESTORED' | 'RECOVERED';

/** The log entries of a new epoch. */
export function epochEntry(integrity: Integrity, { number, id, raisedAtMs }: Epoch, status: RaisedBy): LogEntryRow {
  return installationEntry(integrity, number, `epoch-${number}-${id}`, {
    fingerprint: `epoch:${number}:${id}`,
    type: EPOCH_RAISED,
    status,
    decisionDigest: '',
    resultDigest: '',
    timeMs: raisedAtMs,
  });
}

/**
 * Throws EpochError if the epoch of the log is not the epoch of the database, or a later epoch than the first is not in the log.
 * SECURITY: otherwise an attacker who writes the database could restore the setting of an earlier epoch for servers with a new data
 * directory, or (D131) delete the entry before it is a leaf, and with it the time before which bodies are not executed.
 */
export async function requireLoggedEpoch({ excerptOf }: Pick<LogProofs, 'excerptOf'>, epoch: Epoch): Promise<void> {
  const logged = await lastLoggedEpoch(excerptOf);
  if (logged === undefined && epoch.number === 1) return;
  if (logged?.number !== epoch.number || logged.id !== epoch.id) throw epochNotLogged(logged, epoch);
}

async function lastLoggedEpoch(excerptOf: LogProofs['excerptOf']): Promise<Pick<Epoch, 'number' | 'id'> | undefined> {
  let last: Pick<Epoch, 'number' | 'id'> | undefined;
  for (let from = 1; ; from += LEAVES_AT_ONCE) {
    const { leaves } = await excerptOf(INSTALLATION, from, LEAVES_AT_ONCE);
    for (const { opening } of leaves) {
      const [, number = '', id = ''] = opening.fingerprint.split(':');
      if (opening.type === EPOCH_RAISED) last = { number: Number(number), id };
    }
    if (leaves.length < LEAVES_AT_ONCE) return last;
  }
}
