import { markFits, readArchiveRow } from '../../organizations/activities/archived.ts';
import type { Store } from '../../store/store.ts';
import type { Integrity } from '../../vault/vault.ts';
import type { Finding } from './finding.ts';

const MARKS_AT_ONCE = 1_000;
const ORGANIZATIONS_AT_ONCE = 100;
const restore = 'Find out who wrote to the database, then restore it from a backup made before that.';

/** Checks the records of archive files and of their activities in the database. The files may be elsewhere. */
export async function checkArchives(store: Store, integrity: Integrity): Promise<readonly Finding[]> {
  const files = await store.archive.files();
  const known = new Set(files.filter((file) => readArchiveRow(integrity, file) !== undefined).map(({ name }) => name));
  const forged = files
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => `the record of the archive file ${name} was changed outside the service`);
  let count = 0;
  for await (const mark of allMarks(store)) {
    count++;
    const name = `activity ${mark.activityId} of ${mark.organizationId}`;
    if (!markFits(integrity, mark)) forged.push(`${name} is marked as archived, but this installation did not archive it`);
    else if (!known.has(mark.archive)) forged.push(`${name} is in the archive file ${mark.archive}, whose record is missing`);
  }
  if (forged.length > 0) return forged.slice(0, 10).map((detail) => ({ check: 'archive', ok: false, detail, fix: restore }));
  if (count === 0 && files.length === 0) return [];
  return [
    { check: 'archive', ok: true, detail: `${count} activities are in ${files.length} archive files, and their markers verify` },
  ];
}

async function* allMarks(store: Store) {
  for (let lastId = ''; ; ) {
    const ids = await store.organizations.scan(lastId, ORGANIZATIONS_AT_ONCE);
    for (const organizationId of ids) {
      for (let after = ''; ; ) {
        const marks = await store.archive.scan(organizationId, after, MARKS_AT_ONCE);
        yield* marks;
        if (marks.length < MARKS_AT_ONCE) break;
        after = marks.at(-1)?.activityId as string;
      }
    }
    if (ids.length < ORGANIZATIONS_AT_ONCE) return;
    lastId = ids.at(-1) as string;
  }
}
