import { readFile } from 'node:fs/promises';
import type { SeenCheckpoint } from '../log/checkpoint-file.ts';
import type { Store } from '../store/store.ts';
import type { Vault } from '../vault/vault.ts';
import { BackupError } from './backup-error.ts';
import { compareWith, type KnownCheckpoint, openGivenCheckpoint } from './known-checkpoint.ts';

/** The checkpoints to compare a backup with: the newest of the data directory, and the one that the operator passes. */
export async function knownCheckpoints(
  { service }: Vault,
  seen: SeenCheckpoint | undefined,
  { checkpointFile }: { readonly checkpointFile?: string },
): Promise<readonly KnownCheckpoint[]> {
  const given =
    checkpointFile === undefined
      ? []
      : [openGivenCheckpoint(service.logKey, await readCheckpointFile(checkpointFile), checkpointFile)];
  return seen === undefined ? given : [{ size: seen.size, root: seen.root, from: 'this data directory' }, ...given];
}

async function readCheckpointFile(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new BackupError(`${file} cannot be read: ${cause.code}.`, 'Check --checkpoint.', { cause });
  });
}

/** A known checkpoint, and what the backup lacks of it. */
export interface Compared {
  readonly from: string;
  readonly leaves: number;
  readonly missing: number;
  /** Describes the problem, if any. */
  readonly sentence?: string;
  readonly known: KnownCheckpoint;
}

/** Compares the stored log with each checkpoint. */
export async function compareAll(
  store: Store,
  { integrity }: Vault,
  known: readonly KnownCheckpoint[],
): Promise<readonly Compared[]> {
  const state = await store.log.state();
  const has = state?.size ?? 0;
  const compared: Compared[] = [];
  for (const checkpoint of known) {
    const { from, size } = checkpoint;
    const outcome = await compareWith(store.log, integrity, checkpoint);
    const base = { from, leaves: size, missing: outcome.verdict === 'SHORTER' ? outcome.missing : 0, known: checkpoint };
    if (outcome.verdict === 'COMPLETE') compared.push(base);
    else if (outcome.verdict === 'SHORTER') compared.push({ ...base, sentence: shorter(from, size, has, outcome.missing) });
    else
      compared.push({
        ...base,
        sentence: `the history of the log in this backup differs from the checkpoint of ${count(size)} leaves that ${from} has seen`,
      });
  }
  return compared;
}

const count = (number: number) => number.toLocaleString('en-US');

function shorter(from: string, seen: number, has: number, missing: number): string {
  return `the newest checkpoint that ${from} has seen has ${count(seen)} leaves, and this backup has ${count(has)}: ${count(missing)} activity steps are missing`;
}
