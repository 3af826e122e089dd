import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../store-errors.ts';
import { missingOfWal, type WalReport } from './wal.ts';

type Loss = Pick<WalReport, 'committed' | 'whole'>;

/** Records a loss that was accepted but is not in the log yet. */
const lossFile = (file: string) => `${file}-wal.lost`;

/** Throws a `StoreError` if acknowledged commits are missing from the write-ahead log. Opening the database would hide the loss. */
export function requireWholeWal(file: string): void {
  const loss = missingOfWal(file) ?? recordedLoss(file);
  if (loss === undefined) return;
  throw new StoreError(
    `${file}-wal was cut, damaged or deleted: its last writer had committed ${loss.committed} pages there, and ${loss.whole} are left. Acknowledged activities are missing.`,
    "Restore the file unchanged, together with the others. If it is lost, run 'countersign recover --accept-loss', or restore a backup.",
  );
}

/**
 * Copies an incomplete log as evidence. The rest of the log stays in use only if the database file has no newer pages: otherwise it would
 * bring back older versions of pages.
 * INVARIANT: the loss is recorded first and durably. Opening the database destroys the index that reveals it, and the process may die
 * before the log of the installation records the loss. Until `forgetLostWal`, the database opens only with the loss accepted again.
 */
export function acceptLostWal(file: string): void {
  const missing = missingOfWal(file);
  if (missing === undefined) return;
  const { committed, whole } = missing;
  writeDurably(lossFile(file), JSON.stringify({ committed, whole } satisfies Loss));
  const wal = `${file}-wal`;
  if (!existsSync(wal)) return;
  copyFileSync(wal, `${wal}.lost-${new Date().toISOString().replaceAll(':', '')}`);
  if (missing.whole < missing.checkpointed) rmSync(wal);
}

/** Call it when the log of the installation has recorded the loss. */
export function forgetLostWal(file: string): void {
  rmSync(lossFile(file), { force: true });
}

function recordedLoss(file: string): Loss | undefined {
  if (!existsSync(lossFile(file))) return undefined;
  // The database was moved away: the loss is not one of its successor.
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return undefined;
  const text = readFileSync(lossFile(file), 'utf8');
  // A process that died while it wrote the file had not opened the database yet.
  return text.endsWith('}') ? (JSON.parse(text) as Loss) : undefined;
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
