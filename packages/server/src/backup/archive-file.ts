import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { linkNew } from '../store/durable-file.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import {
  type ArchiveEnd,
  type ArchiveHeader,
  activityLine,
  archiveClaimsText,
  archiveEndShape,
  archiveHeaderShape,
  type LoggedActivity,
  readActivityLine,
} from './archive-format.ts';
import { BackupError, damaged } from './backup-error.ts';
import { linesOf } from './lines.ts';

/** Writes an archive file that only its owner can read. The name appears with the whole content, durable, or not at all. Throws if it exists. */
export async function writeArchive(
  file: string,
  integrity: Integrity,
  header: ArchiveHeader,
  activities: readonly LoggedActivity[],
  checkpoint: string,
): Promise<ArchiveEnd> {
  const text = [JSON.stringify(header), ...activities.map(activityLine)].map((line) => `${line}\n`);
  const hash = createHash('sha256');
  for (const line of text) hash.update(line);
  const claims = { count: activities.length, checkpoint, digest: hash.digest('hex') };
  const end = { ...claims, mac: Buffer.from(integrity.copy('archive', archiveClaimsText(claims))).toString('base64') };
  const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await pipeline(
      Readable.from([...text, `${JSON.stringify(end)}\n`], { objectMode: false }),
      createGzip(),
      createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }),
    );
    if (!(await linkNew(temporary, file))) throw new BackupError(`${file} already exists.`, 'Try again.');
  } finally {
    await unlink(temporary).catch(() => undefined); // it may not exist
  }
  return end;
}

/**
 * Reads an archive file as a whole. Throws BackupError if it is incomplete, or if this installation did not write it or an activity in it.
 */
export async function readArchive(
  file: string,
  integrity: Integrity,
): Promise<{ readonly header: ArchiveHeader; readonly activities: readonly LoggedActivity[]; readonly end: ArchiveEnd }> {
  try {
    return await readLines(createReadStream(file), integrity);
  } catch (cause) {
    const isUnfit = cause instanceof TypeError || cause instanceof SyntaxError || cause instanceof z.ZodError;
    const isCut = (cause as NodeJS.ErrnoException).code?.startsWith('Z_') === true;
    if (isUnfit || isCut)
      throw damaged(file, cause instanceof TypeError ? cause.message : 'it is truncated or damaged', { cause });
    throw cause;
  }
}

async function readLines(source: Readable, integrity: Integrity) {
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  const hash = createHash('sha256');
  const activities: LoggedActivity[] = [];
  let header: ArchiveHeader | undefined;
  let end: ArchiveEnd | undefined;
  for await (const line of linesOf(source.pipe(gunzip))) {
    if (end !== undefined) throw new TypeError('it has data after its end');
    const value = JSON.parse(line.toString('utf8')) as { readonly digest?: unknown };
    if (header === undefined) header = archiveHeaderShape.parse(value);
    else if (value.digest === undefined) activities.push(readOwn(value, integrity));
    else {
      end = archiveEndShape.parse(value);
      continue;
    }
    hash.update(line).update('\n');
  }
  if (header === undefined || end === undefined) throw new TypeError('it has no end: it was truncated');
  if (hash.digest('hex') !== end.digest || activities.length !== end.count)
    throw new TypeError('its digest does not match: it was changed');
  if (!macsEqual(integrity.copy('archive', archiveClaimsText(end)), Buffer.from(end.mac, 'base64')))
    throw new TypeError('this installation did not write it');
  return { header, activities, end };
}

function readOwn(value: unknown, integrity: Integrity): LoggedActivity {
  const activity = readActivityLine(value);
  if (!macsEqual(integrity.activity(activity.row), activity.row.mac))
    throw new TypeError(`the activity ${activity.row.id} was changed`);
  return activity;
}
