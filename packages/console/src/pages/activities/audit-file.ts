import type { Client } from '@countersign/client';
import { auditLines, describeReport, splitLines, type Verdict, verifyAudit } from '@countersign/verify';
import { ask } from '../../data/service-query.ts';
import { words } from '../../words/index.ts';

/** Larger files are written on the command line. */
const MAX_BYTES = 500_000_000;
/** Milliseconds of work between two pauses, in which the page responds. */
const WORK_MS = 50;

/** Outcome of a verification: the proven facts, one sentence a line, or the reason why the file is not valid. */
export type FileVerdict =
  | { readonly ok: true; readonly leaves: number; readonly lastTimeMs: number; readonly sentences: readonly string[] }
  | Extract<Verdict, { ok: false }>;

/** Reads the audit file of an organization from the service. */
export async function readAuditFile(
  reader: Client,
  organizationId: string,
  onProgress: (leaves: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const parts: Blob[] = [];
  let bytes = 0;
  const range = { organizationId, since: null, until: null };
  for await (const text of auditLines((input) => ask(reader, 'listAuditRecords', input, signal), range, { onProgress })) {
    const part = new Blob([text]);
    bytes += part.size;
    if (bytes > MAX_BYTES) throw new Error(words.activities.audit.tooLarge(MAX_BYTES / 1_000_000));
    parts.push(part);
  }
  return new Blob(parts, { type: 'application/jsonl' });
}

/** Verifies the bytes of a file, with the code of `countersign audit verify`. */
export async function verifyFile(
  file: Blob,
  logKey: string,
  onProgress: (lines: number) => void,
  signal: AbortSignal,
): Promise<FileVerdict> {
  const verdict = await verifyAudit(withPauses(splitLines(partsOf(file)), signal), { logKey, onProgress });
  if (!verdict.ok) return verdict;
  const { leaves, lastTimeMs } = verdict.report;
  return { ok: true, leaves, lastTimeMs, sentences: describeReport(verdict.report) };
}

async function* partsOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function* withPauses(lines: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  let pausedAtMs = performance.now();
  for await (const line of lines) {
    yield line;
    if (performance.now() - pausedAtMs < WORK_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal.throwIfAborted();
    pausedAtMs = performance.now();
  }
}
