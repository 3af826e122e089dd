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
  const about = `## CPU time of a signing request by part

\`npm run bench -- costs --write\` attributes the CPU time of a signing request to the parts of the service with V8's profiler: each sample counts for the part whose function ran or was the nearest caller. Windows with the profiler give the proportions, windows without it the total. The profiler measures wall time, which exceeds CPU time while the thread waits for the disk, so the cost of a commit is the total minus the other parts. The floor is the minimum for the same work, measured alone in a loop: the native functions, a server that only reads and writes the same number of bytes, rows of the same size in one SQLite table with one commit per as many rows as there are connections, \`JSON.parse\` and \`JSON.stringify\`. A part without a floor is not strictly necessary.${result.loads.some(({ total }) => total.beforeMicros !== undefined) ? ' "Before" is an earlier build, measured in alternation with this one (`--before` with the path of its command).' : ''}`;
  return { about, figures: `\`\`\`text\n${render(result, plain)}\n\`\`\`` };
}
