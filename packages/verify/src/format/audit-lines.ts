import { formatHead } from '../expected-head.ts';
import type { Hasher } from '../hasher.ts';
import { createAuditWriter, type GivenEnd, type GivenRecord } from './write.ts';

/** Leaves per response. */
const PAGE = '500';

/** Range of an audit file. */
export interface AuditRange {
  readonly organizationId: string;
  readonly since: number | null;
  readonly until: number | null;
}

/** Receives progress, and the last leaf as `audit verify --expect-head` takes it. */
export interface ExportEvents {
  onProgress(leaves: number): void;
  onHead?(head: string): void;
}

/** Input of `list_audit_records`. */
export interface RecordsInput {
  readonly organizationId: string;
  readonly from: string;
  readonly limit: string;
  readonly since?: string;
  readonly until?: string;
}

/** A response of `list_audit_records`. */
export interface RecordsPage {
  readonly records: readonly GivenRecord[];
  readonly next?: string | undefined;
  readonly end?: GivenEnd | undefined;
}

/** Reads the lines of an audit file from the service, in chunks. */
export async function* auditLines(
  listAuditRecords: (input: RecordsInput) => Promise<RecordsPage>,
  { organizationId, since, until }: AuditRange,
  { onProgress, onHead }: ExportEvents,
  createHasher?: () => Hasher,
): AsyncGenerator<string> {
  const writer = createAuditWriter(createHasher);
  yield writer.header({ organizationId, since, until });
  const range = { ...(since !== null && { since: `${since}` }), ...(until !== null && { until: `${until}` }) };
  let leaves = 0;
  for (let from: string | undefined = '1'; from !== undefined; ) {
    const page: RecordsPage = await listAuditRecords({ organizationId, from, limit: PAGE, ...range });
    yield page.records.map((record) => writer.leaf(record)).join('');
    leaves += page.records.length;
    onProgress(leaves);
    if (page.end !== undefined) {
      yield writer.end(page.end);
      const head = writer.lastLeaf();
      if (head !== undefined) onHead?.(formatHead(head));
    }
    from = page.next;
  }
}
