import { createHash } from 'node:crypto';
import { createAuditWriter, splitLines, type Verdict, type VerifyOptions, verifyAudit } from '@countersign/verify';
import { nativeChecks } from '../../../packages/cli/src/audit/native-checks.ts';
import type { Caller, Json } from '../../support/caller.ts';

export interface Range {
  readonly since?: number;
  readonly until?: number;
}

/** An audit file of the caller's organization, as a text. */
export async function exportAudit(caller: Caller, { since, until }: Range = {}, limit = '7'): Promise<string> {
  const writer = createAuditWriter();
  let text = writer.header({ organizationId: caller.organizationId, since: since ?? null, until: until ?? null });
  const range = { ...(since !== undefined && { since: `${since}` }), ...(until !== undefined && { until: `${until}` }) };
  for (let from: string | undefined = '1'; from !== undefined; ) {
    const page: Json = await caller.data('listAuditRecords', { from, limit, ...range });
    for (const record of page.records) text += writer.leaf(record);
    if (page.end !== undefined) text += writer.end(page.end);
    from = page.next;
  }
  return text;
}

/** The key of the log, as everybody can read it. */
export async function logKey(url: string): Promise<string> {
  return (await fetch(`${url}/log/key`)).text();
}

/** Verifies a text as a file. */
export function verifyText(text: string | Uint8Array, key: string, options: Partial<VerifyOptions> = {}): Promise<Verdict> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  return verifyAudit(splitLines([bytes]), { logKey: key, checks: nativeChecks, ...options });
}

/** The same lines with an end that fits them, as somebody writes it who changes a file on purpose. */
export function mended(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const last = lines.pop() ?? '';
  const before = lines.map((line) => `${line}\n`).join('');
  let end: { gap: unknown; checkpoint: unknown; head?: unknown };
  try {
    end = JSON.parse(last).end;
  } catch {
    return text;
  }
  if (typeof end !== 'object' || end === null) return text;
  const sha256 = createHash('sha256').update(before).digest('hex');
  return `${before}${JSON.stringify({ end: { gap: end.gap, checkpoint: end.checkpoint, lines: lines.length, sha256, head: end.head } })}\n`;
}
