import type { Client } from '@countersign/client';
import { createAuditWriter, formatHead } from '@countersign/verify';
import { createHasher } from './native-checks.ts';

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
  onHead(head: string): void;
}

/** Reads the lines of an audit file from the service, in chunks. */
export async function* auditLines(
  client: Pick<Client, 'listAuditRecords'>,
  { organizationId, since, until }: AuditRange,
  { onProgress, onHead }: ExportEvents,
): AsyncGenerator<string> {
  const writer = createAuditWriter(createHasher);
  yield writer.header({ organizationId, since, until });
  const range = { ...(since !== null && { since: `${since}` }), ...(until !== null && { until: `${until}` }) };
  let leaves = 0;
  for (let from: string | undefined = '1'; from !== undefined; ) {
    const page: Awaited<ReturnType<typeof client.listAuditRecords>> = await client.listAuditRecords({
      organizationId,
      from,
      limit: PAGE,
      ...range,
    });
    yield page.records.map((record) => writer.leaf(record)).join('');
    leaves += page.records.length;
    onProgress(leaves);
    if (page.end !== undefined) {
      yield writer.end(page.end);
      const head = writer.lastLeaf();
      if (head !== undefined) onHead(formatHead(head));
    }
    from = page.next;
  }
}
