import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Bench } from './bench.ts';
import { cpuNanosOf } from './cpu-time.ts';
import type { Leftovers } from './leftovers.ts';
import { describeMachine } from './machine.ts';
import type { Paint } from './report/paint.ts';
import { renderTable } from './report/table.ts';
import { startServerProcess } from './server-process.ts';
import { type Spread, spreadOf } from './statistics.ts';

const COMMAND = fileURLToPath(new URL('../packages/cli/bin/countersign.js', import.meta.url));

/** A measured start, with its aim: a multiple of bare node, or CPU milliseconds. */
interface Start {
  readonly name: string;
  readonly aim: string;
  measure(): Promise<number>;
}

/** CPU time of short commands and of a server's start. As ratios to a process that does nothing, because machines differ. */
export const start: Bench = {
  summary: 'CPU time of the start of commands and of the server, as ratios to bare node',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const server = await startServerProcess(leftovers, 1);
    const empty = join(leftovers.directory(), 'empty.mjs');
    writeFileSync(empty, '');
    const command = (...argv: string[]) => commandMs([options.before || COMMAND, ...argv], server.dataDir);
    const starts: readonly Start[] = [
      { name: 'node', aim: '', measure: async () => commandMs([empty], server.dataDir) },
      { name: 'countersign --version', aim: '1.5 ×', measure: async () => command('--version') },
      { name: 'countersign whoami', aim: '2.5 ×', measure: async () => command('whoami') },
      { name: 'countersign pending', aim: '', measure: async () => command('pending') },
      { name: 'countersign --help', aim: '', measure: async () => command('--help') },
      { name: 'countersign serve', aim: '600 ms', measure: () => serverMs(leftovers, options.before || COMMAND) },
    ];
    const values = new Map<string, number[]>(starts.map(({ name }) => [name, []]));
    for (let round = 1; round <= options.rounds; round++) {
      for (const { name, measure } of starts) {
        progress(`round ${round} of ${options.rounds}: ${name}`);
        values.get(name)?.push(await measure());
      }
    }
    const spreads = starts.map(({ name, aim }) => ({ name, aim, cpuMs: spreadOf(values.get(name) ?? []) }));
    const bare = spreads[0]?.cpuMs.median ?? 1;
    const rows = spreads.map((row) => ({ ...row, ratio: row.cpuMs.median / bare }));
    return {
      json: { bench: 'start', machine, node: process.version, rounds: options.rounds, rows },
      text: (paint) => render(rows, options.rounds, paint),
    };
  },
};

/** User and system time of a process and its children, in milliseconds. Throws if it fails. */
function commandMs(argv: readonly string[], dataDir: string): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" > /dev/null';
  const env = { PATH: process.env.PATH ?? '', HOME: dataDir, COUNTERSIGN_DATA_DIR: dataDir };
  // Bash prints the times to standard error, like the messages of a command that fails.
  const output = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`, 'bash', process.execPath, ...argv], {
    env,
    encoding: 'utf8',
  });
  const [user = Number.NaN, system = Number.NaN] = output.trim().split(' ').map(Number);
  if (Number.isNaN(user + system)) throw new Error(`${argv.join(' ')}: ${output}`);
  return (user + system) * 1000;
}

/** CPU time of a server on new data until it is ready. */
async function serverMs(leftovers: Leftovers, command: string): Promise<number> {
  const flags = ['serve', '--json', '--port', '0', '--log-level', 'silent', '--data-dir', leftovers.directory()];
  const child = leftovers.own(spawn(process.execPath, [command, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] }));
  await once(child.stdout, 'data');
  const nanos = cpuNanosOf([child.pid as number]);
  child.kill();
  await once(child, 'exit');
  return nanos / 1e6;
}

function render(
  rows: readonly { name: string; aim: string; cpuMs: Spread; ratio: number }[],
  rounds: number,
  paint: Paint,
): string {
  const table = renderTable(
    [
      { title: 'start', align: 'left' },
      { title: 'CPU ms', align: 'right' },
      { title: 'range', align: 'right' },
      { title: '× node', align: 'right' },
      { title: 'aim', align: 'right' },
    ],
    rows.map(({ name, aim, cpuMs, ratio }) => [
      name,
      cpuMs.median.toFixed(0),
      `${cpuMs.min.toFixed(0)} to ${cpuMs.max.toFixed(0)}`,
      ratio.toFixed(2),
      aim,
    ]),
    paint,
  );
  return `Medians of ${rounds} rounds, Node ${process.versions.node}\n\n${table}`;
}
