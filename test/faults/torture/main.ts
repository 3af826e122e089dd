import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Engine } from '../../support/installation.ts';
import { type Findings, isSound, nothingBroken } from './fault.ts';
import { faults } from './faults/index.ts';
import { putBetweenMarkers } from './support/page.ts';
import { describeMachine, type Report, type Row, renderMarkdown, renderText } from './support/report.ts';

const PAGE = new URL('../../../docs/reliability.md', import.meta.url);

const usage = `Hurts a real service under load in every way of a table, and checks the history of its clients afterwards.

  npm run torture -- [--only names] [--store sqlite,postgres] [--rounds n] [--json] [--write]

  --only     faults to cause, separated by commas; all by default
  --store    databases; both by default
  --rounds   how often each is caused; each fault has a number of its own
  --json     print the report as JSON
  --write    put the table into docs/reliability.md

Ends with 1 if anything acknowledged was lost, done twice, out of order or above a limit, or if a service did not recover.

Example:  npm run torture -- --only kill-service,damaged-wal --store sqlite --rounds 3

Faults:
${faults.map(({ name, title, rounds, stores }) => `  ${name.padEnd(18)} ${title} (${stores.join(', ')}; ${rounds} rounds)`).join('\n')}
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    store: { type: 'string', default: 'sqlite,postgres' },
    rounds: { type: 'string' },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

/** A list that may name only what is known. */
function chosen<T extends string>(option: string, text: string, known: readonly T[]): T[] {
  const names = text.split(',');
  const unknown = names.find((name) => !known.includes(name as T));
  if (unknown !== undefined) throw new Error(`--${option} knows ${known.join(', ')}, not ${unknown}`);
  return names as T[];
}

function roundsOf(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`--rounds takes a number from 1 to 99999, not ${text}`);
  return Number(text);
}

/** One line that is written over on a terminal, and a line for each round elsewhere. */
function progress(text: string, isLast = false): void {
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[2K${text}${isLast ? '\n' : ''}` : `${text}\n`);
}

/** A run that could not be finished is not sound, and the others go on. */
function failed(error: Error): Findings {
  const broken = { ...nothingBroken(), others: [`the run ended early: ${error.stack}`] };
  return { rounds: 0, bodies: 0, acknowledged: 0, broken, times: [], notes: [] };
}

async function run(): Promise<Report> {
  const names =
    values.only === undefined
      ? undefined
      : chosen(
          'only',
          values.only,
          faults.map(({ name }) => name),
        );
  const stores = chosen<Engine>('store', values.store, ['sqlite', 'postgres']);
  const given = values.rounds === undefined ? undefined : roundsOf(values.rounds);
  const rows: Row[] = [];
  const machine = describeMachine();
  for (const fault of faults.filter(({ name }) => names?.includes(name) ?? true)) {
    const { name, title } = fault;
    const skipped = fault.missing?.();
    for (const store of fault.stores.filter((each) => stores.includes(each))) {
      if (skipped !== undefined) {
        rows.push({ name, title, store, skipped });
        continue;
      }
      const rounds = given ?? fault.rounds;
      const startedMs = performance.now();
      progress(`${name} on ${store}`);
      const onRound = (round: number) => progress(`${name} on ${store}: ${round} of ${rounds}`);
      const findings = await fault.run({ engine: store, rounds, onRound }).catch(failed);
      rows.push({ name, title, store, findings });
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      progress(`${name} on ${store}: ${isSound(findings) ? 'sound' : 'NOT SOUND'}, ${seconds} s`, true);
    }
  }
  const command = ['npm run torture', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  return { date: new Date().toISOString().slice(0, 10), machine, command, rows };
}

if (values.help) {
  process.stdout.write(usage);
} else {
  const report = await run();
  process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : renderText(report)}\n`);
  if (values.write) writeFileSync(PAGE, putBetweenMarkers(readFileSync(PAGE, 'utf8'), renderMarkdown(report)));
  process.exitCode = report.rows.every(({ findings }) => findings === undefined || isSound(findings)) ? 0 : 1;
}
