import type pg from 'pg';

/** A table whose file gets smaller when rows were removed, and a short column that is written to move a row. */
export interface CompactedTable {
  readonly name: string;
  readonly column: string;
}

/** Pages that are emptied in one transaction: few enough not to delay commits of the service. */
const STEP_PAGES = 16;
/** A table of fewer pages is left as it is. */
const LEAST_PAGES = 32;
/** Moving the rows of a page may need several writes: the first ones fill the page itself. */
const MAX_WRITES = 300;
const MAX_ROUNDS = 5;
/** An index with more bytes for each row is built again: entries of our keys take up to 150. Until then new rows use its free space. */
const INDEX_ROW_BYTES = 300;
/** An index of fewer bytes is left as it is. */
const LEAST_INDEX_BYTES = 65_536;
/** The end of the name of an index that was being replaced when the server or the command ended. */
const UNFINISHED = '_cc(new|old)[0-9]*$';

/**
 * Returns the space of removed rows to the file system, beside the service: rows at the end of the file are written again, which puts them
 * into free space before, and VACUUM cuts off the end.
 * INVARIANT: no row changes, the keys of the table hold at any time, and no statement waits for a row that another transaction has locked.
 * Nothing is stored about the progress: after a kill, the table is complete, and the next run goes on from the size of its file.
 */
export async function compact(client: pg.Client, { name, column }: CompactedTable): Promise<void> {
  const { rows } = await client.query<{ blockSize: number }>(`SELECT current_setting('block_size')::int AS "blockSize"`);
  const { blockSize } = rows[0] as { blockSize: number };
  const pagesOf = async () => {
    const { rows: found } = await client.query<{ pages: number }>(
      `SELECT (pg_relation_size('${name}') / ${blockSize})::int AS pages`,
    );
    return found[0]?.pages ?? 0;
  };
  // Without INDEX_CLEANUP, VACUUM leaves the last removed rows of a table in place, and so its end.
  const vacuum = () => client.query(`VACUUM (INDEX_CLEANUP ON, TRUNCATE ON) ${name}`);
  await vacuum();
  for (let pages = await pagesOf(), round = 0; pages >= LEAST_PAGES && round < MAX_ROUNDS; round++) {
    await emptyTheEnd(client, { name, column }, pages, Math.floor(blockSize / 28));
    await vacuum();
    const left = await pagesOf();
    if (left >= pages) break;
    pages = left;
  }
  await dropUnfinished(client, name);
  await reindex(client, name);
}

/** Moves the rows of the last pages down, until one finds no space before its page. `slots` is the most rows that a page can have. */
async function emptyTheEnd(client: pg.Client, table: CompactedTable, pages: number, slots: number): Promise<void> {
  for (let end = pages; end > STEP_PAGES; end -= STEP_PAGES) {
    await client.query('BEGIN');
    const isEmptied = await emptyPages(client, table, { first: end - STEP_PAGES, last: end - 1 }, slots);
    await client.query('COMMIT');
    if (!isEmptied) return;
  }
}

async function emptyPages(
  client: pg.Client,
  { name, column }: CompactedTable,
  { first, last }: { readonly first: number; readonly last: number },
  slots: number,
): Promise<boolean> {
  const places = `ARRAY(SELECT format('(%s,%s)', page, slot)::tid FROM generate_series($1::bigint, $2) page, generate_series(1, $3::int) slot)`;
  for (let writes = 0; writes < MAX_WRITES; writes++) {
    const found = await client.query<{ place: string }>(
      `SELECT ctid::text AS place FROM ${name} WHERE ctid = ANY (${places}) FOR UPDATE SKIP LOCKED`,
      [first, last, slots],
    );
    if (found.rows.length === 0) return true;
    const moved = await client.query<{ page: number }>(
      `UPDATE ${name} SET ${column} = ${column} WHERE ctid = ANY ($1::text[]::tid[]) RETURNING (ctid::text::point)[0]::int AS page`,
      [found.rows.map(({ place }) => place)],
    );
    if (moved.rows.some(({ page }) => page > last)) return false;
  }
  return false;
}

/** Builds indexes again that are mostly empty, each beside the one in use. Call it after VACUUM, which counts the rows. */
async function reindex(client: pg.Client, table: string): Promise<void> {
  try {
    const isMostlyEmpty = `pg_relation_size(indexrelid) > ${LEAST_INDEX_BYTES} + ${INDEX_ROW_BYTES} * (SELECT reltuples FROM pg_class WHERE oid = indrelid)`;
    for (const name of await indexesOf(client, table, `indisvalid AND ${isMostlyEmpty}`))
      await client.query(`REINDEX INDEX CONCURRENTLY ${name}`);
  } catch (error) {
    await dropUnfinished(client, table).catch(() => undefined); // the first error is the one to report
    throw error;
  }
}

/** Removes indexes that a killed run left unfinished. No query uses them, but every insert pays for them. */
async function dropUnfinished(client: pg.Client, table: string): Promise<void> {
  for (const name of await indexesOf(client, table, `NOT indisvalid AND indexrelid::regclass::text ~ '${UNFINISHED}'`))
    await client.query(`DROP INDEX CONCURRENTLY ${name}`);
}

async function indexesOf(client: pg.Client, table: string, condition: string): Promise<readonly string[]> {
  const sql = `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = '${table}'::regclass AND ${condition}`;
  return (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
}
