import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { ApiKeyStamper, createClient } from '@countersign/client';
import { auditLines, splitLines, verifyAudit } from '@countersign/verify';
import { createHasher, nativeChecks } from '../packages/cli/src/audit/native-checks.ts';
import type { Bench, Report } from './bench.ts';
import { describeMachine, type Machine } from './machine.ts';
import { shown } from './report/numbers.ts';
import { renderTable } from './report/table.ts';
import { startServerProcess } from './server-process.ts';
import { SIGNING_PATH, signingBody } from './signing-request.ts';
import { Stamper } from './stamper.ts';
import { timed } from './timed.ts';

/** Concurrent requests while the activities are created. */
const TOGETHER = 32;

/** The document that `--json` prints. */
interface AuditResult {
  readonly bench: 'audit';
  readonly machine: Machine;
  readonly activities: number;
  readonly makeSeconds: number;
  readonly exportSeconds: number;
  readonly verifySeconds: number;
  readonly bytes: number;
  /** The most memory that the verification held, as the process shows it. */
  readonly verifyMegabytes: number;
}

/** How long it takes to export and to verify an organization with many signatures, and how large its file is. */
export const audit: Bench = {
  summary: 'export and verification of an audit file with many signatures',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const { target } = await startServerProcess(leftovers, 1);
    const url = `http://${target.host}:${target.port}`;
    const stamper = new Stamper(target);
    const makeSeconds = await timed(async () => {
      let created = 0;
      const work = async () => {
        while (created < options.activities) {
          const number = created++;
          if (number % 1_000 === 0) progress(`${number.toLocaleString('en')} signatures`);
          const body = signingBody(target, number.toString(16).padStart(64, '0'), Date.now());
          const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) };
          const response = await fetch(url + SIGNING_PATH, { method: 'POST', headers, body });
          if (!response.ok) throw new Error(await response.text());
          await response.arrayBuffer();
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, work));
    });
    const file = join(leftovers.directory(), 'audit.jsonl');
    const { organizationId } = target;
    const client = createClient({ baseUrl: url, organizationId, stamper: new ApiKeyStamper(target) });
    const exportSeconds = await timed(async () => {
      const stream = createWriteStream(file);
      const range = { organizationId, since: null, until: null };
      const events = { onProgress: (count: number) => progress(`${count.toLocaleString('en')} leaves`) };
      for await (const text of auditLines(client.listAuditRecords, range, events, createHasher)) stream.write(text);
      stream.end();
      await finished(stream);
    });
    const logKey = await (await fetch(`${url}/log/key`)).text();
    let verifyMegabytes = 0;
    const verifySeconds = await timed(async () => {
      const lines = splitLines(createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Uint8Array>);
      const onProgress = (count: number) => {
        verifyMegabytes = Math.max(verifyMegabytes, process.memoryUsage().rss / 1e6);
        progress(`${count.toLocaleString('en')} lines verified`);
      };
      const verdict = await verifyAudit(lines, { logKey, checks: nativeChecks, createHasher, onProgress });
      if (!verdict.ok) throw new Error(`the file does not verify: ${JSON.stringify(verdict.failure)}`);
      if (verdict.report.signatures !== options.activities) throw new Error('the file does not have every signature');
    });
    const bytes = statSync(file).size;
    return auditReport({
      bench: 'audit',
      machine,
      activities: options.activities,
      makeSeconds,
      exportSeconds,
      verifySeconds,
      bytes,
      verifyMegabytes,
    });
  },
};

function auditReport(result: AuditResult): Report {
  const { machine, activities, makeSeconds, exportSeconds, verifySeconds, bytes, verifyMegabytes } = result;
  const row = (what: string, seconds: number) => [what, shown(seconds, 1), shown((seconds * 1e6) / activities, 0)];
  return {
    json: result,
    text: (paint) =>
      [
        paint('bold', `An audit file with ${shown(activities, 0)} signatures`),
        paint('dim', `${machine.cores} × ${machine.processor}, Node ${machine.node}`),
        '',
        renderTable(
          [
            { title: 'step', align: 'left' },
            { title: 'seconds', align: 'right' },
            { title: 'µs each', align: 'right' },
          ],
          [row('sign', makeSeconds), row('export', exportSeconds), row('verify', verifySeconds)],
          paint,
        ),
        '',
        `${shown(bytes / 1e6, 1)} MB, ${shown(bytes / activities, 0)} bytes each; verification held ${shown(verifyMegabytes, 0)} MB at most`,
      ].join('\n'),
  };
}
