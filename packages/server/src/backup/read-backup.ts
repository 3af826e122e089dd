import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { COPIED_AT_ONCE } from '../store/copy.ts';
import type { CopiedRows } from '../store/store.ts';
import { BackupError, damaged } from './backup-error.ts';
import { AGE_MAGIC, decryptWith } from './encryption.ts';
import { type End, endShape, type Header, headerShape, readRow } from './format.ts';
import { linesOf } from './lines.ts';

/** A complete backup with the correct digest and counts. */
export interface CheckedBackup {
  readonly header: Header;
  readonly end: End;
}

/** Receives the parts of a backup, in order. */
export interface BackupReader {
  /** Throws if this backup cannot be read: its rows may have other columns. */
  onHeader?(header: Header): void;
  onRows?(rows: CopiedRows): Promise<void>;
}

/**
 * Reads a backup and yields its rows in batches. Throws BackupError for a file that is truncated or altered; rows that were yielded before
 * must then not be used. The caller must still verify the MAC with the vault.
 */
export async function readBackup(
  file: string,
  identityFile: string | undefined,
  reader: BackupReader = {},
): Promise<CheckedBackup> {
  try {
    return await readLines(linesOf(await openBackup(file, identityFile)), reader);
  } catch (cause) {
    if (cause instanceof BackupError) throw cause;
    if (cause instanceof TypeError) throw damaged(file, cause.message, { cause });
    if (cause instanceof SyntaxError) throw damaged(file, 'a line is not JSON', { cause });
    if (cause instanceof z.ZodError) throw damaged(file, 'its header or end is not that of a backup', { cause });
    const { code } = cause as NodeJS.ErrnoException;
    if (code?.startsWith('Z_')) throw damaged(file, 'it is truncated or damaged, or not a backup', { cause });
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR')
      throw new BackupError(`${file} cannot be read: ${code}.`, 'Check the file name.', { cause });
    throw cause;
  }
}

async function openBackup(file: string, identityFile: string | undefined): Promise<AsyncIterable<Uint8Array>> {
  const isEncrypted = (await firstBytes(file, AGE_MAGIC.length)).equals(AGE_MAGIC);
  if (isEncrypted && identityFile === undefined)
    throw new BackupError(`${file} is encrypted.`, 'Pass the file with your age identity: --identity FILE.');
  const raw = createReadStream(file);
  if (!isEncrypted || identityFile === undefined) return unzip(raw);
  const plain = await decryptWith(identityFile, raw);
  return unzip(
    plain.on('error', () => undefined),
    (cause) => damaged(file, 'it is truncated or damaged', { cause }),
  );
}

/** Unzips a stream. An error of the source ends it. */
function unzip(source: Readable, toError: (error: Error) => Error = (error) => error): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(toError(error)));
  return source.pipe(gunzip);
}

async function firstBytes(file: string, count: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function readLines(lines: AsyncIterable<Buffer>, reader: BackupReader): Promise<CheckedBackup> {
  const hash = createHash('sha256');
  const counts = new Map<string, number>();
  let header: Header | undefined;
  let end: End | undefined;
  let part: { table: CopiedRows['table']; rows: CopiedRows['rows'][number][] } | undefined;
  const flush = async () => {
    if (part !== undefined) await reader.onRows?.(part);
    part = undefined;
  };
  for await (const line of lines) {
    if (end !== undefined) throw new TypeError('it has data after its end');
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (header === undefined) {
      header = headerShape.parse(value);
      reader.onHeader?.(header);
    } else if (Array.isArray(value)) {
      const { table, values } = readRow(value, header.tables);
      if (part?.table !== table || part.rows.length >= COPIED_AT_ONCE) await flush();
      part ??= { table, rows: [] };
      part.rows.push(values);
      counts.set(table.name, (counts.get(table.name) ?? 0) + 1);
    } else {
      end = endShape.parse(value);
      continue;
    }
    hash.update(line).update('\n');
  }
  await flush();
  if (header === undefined || end === undefined) throw new TypeError('it has no end: it was truncated');
  if (hash.digest('hex') !== end.digest) throw new TypeError('its digest does not match: it was changed');
  for (const name of Object.keys(header.tables))
    if ((counts.get(name) ?? 0) !== (end.counts[name] ?? 0)) throw new TypeError(`its number of rows of ${name} does not match`);
  return { header, end };
}
