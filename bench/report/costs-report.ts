import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import { shown } from './numbers.ts';
import { type Paint, plain } from './paint.ts';
import type { SectionText } from './performance-page.ts';
import { type Column, renderTable } from './table.ts';

/** One part of a request, in CPU microseconds. */
export interface CentreCost {
  readonly name: string;
  readonly micros: number;
  /** Of the earlier build. */
  readonly beforeMicros?: number;
  /** Of the least that does this work. */
  readonly floorMicros?: number;
}

/** The document that `--json` prints. */
export interface CostsResult {
  readonly bench: 'costs';
  readonly machine: Machine;
  readonly rounds: number;
  readonly loads: readonly {
    readonly connections: number;
    readonly centres: readonly CentreCost[];
    readonly total: CentreCost;
  }[];
}

export function costsReport(result: CostsResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

function render(result: CostsResult, paint: Paint): string {
  const { machine, rounds, loads } = result;
  return [
    paint('bold', 'Where the CPU time of a signing request goes, in microseconds'),
    paint(
      'dim',
      `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds; SQLite, one worker`,
    ),
    ...loads.flatMap(({ connections, centres, total }) => {
      const title = `${connections} connection${connections === 1 ? '' : 's'}`;
      return ['', paint('bold', title), renderTable(columnsOf(total), [...centres, total].map(row), paint)];
    }),
  ].join('\n');
}

function columnsOf({ beforeMicros }: CentreCost): readonly Column[] {
  return [
    { title: 'centre', align: 'left' },
    ...(beforeMicros === undefined ? [] : [{ title: 'before', align: 'right' } as const]),
    { title: 'now', align: 'right' },
    { title: 'floor', align: 'right' },
  ];
}

function row({ name, micros, beforeMicros, floorMicros }: CentreCost): string[] {
  return [
    name,
    ...(beforeMicros === undefined ? [] : [shown(beforeMicros, 0)]),
    shown(micros, 0),
    floorMicros === undefined ? '' : shown(floorMicros, 0),
  ];
}

/** The section that `--write` makes. */
export function costsSection(result: CostsResult): SectionText {
  const about = `## Where the time of a signature goes

\`npm run bench -- costs --write\` shares the CPU time of a signing request out by V8's profiler: each sample counts for the part of the service whose function ran, or had called what ran. Windows with the profiler say how it is shared out, windows without it how much there is. The profiler sees time, which is more than CPU time where the thread waits for the disk: what a commit costs is what the other parts leave. The floor is the least that does the same work, alone in a loop: the native functions themselves, a server that only reads and writes as many bytes, rows of the same size in one table of SQLite with a commit for as many rows as there are connections, \`JSON.parse\` and \`JSON.stringify\`. Where there is none, another design could do without.${result.loads.some(({ total }) => total.beforeMicros !== undefined) ? ' "Before" is an earlier build, measured in turns with this one (`--before` and the path of its command).' : ''}`;
  return { about, figures: `\`\`\`text\n${render(result, plain)}\n\`\`\`` };
}
