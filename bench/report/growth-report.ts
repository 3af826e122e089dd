import type { Report } from '../bench.ts';
import type { Machine } from '../machine.ts';
import { renderBars } from './bars.ts';
import { shown } from './numbers.ts';
import { type Paint, plain } from './paint.ts';
import type { SectionText } from './performance-page.ts';
import { type Column, renderTable } from './table.ts';

/** The document that `--json` prints. */
export interface GrowthResult {
  readonly bench: 'growth';
  readonly machine: Machine;
  readonly rounds: number;
  readonly sizes: readonly number[];
  readonly kinds: readonly {
    readonly kind: string;
    readonly measured: readonly {
      readonly name: string;
      readonly points: readonly { readonly size: number; readonly ms: number; readonly ratio: number }[];
    }[];
    /** Reading the whole organization from the database, and the longest time that nothing else could run meanwhile. */
    readonly cold: readonly { readonly size: number; readonly ms: number; readonly blockedMs: number }[];
  }[];
}

/** Shows what requests cost as an organization grows. */
export function growthReport(result: GrowthResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

function render(result: GrowthResult, paint: Paint): string {
  const { machine, rounds } = result;
  return [
    paint('bold', 'One organization as it grows: the same request, as a ratio to the smallest size'),
    paint('dim', `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds`),
    '',
    table(result, paint),
    '',
    paint('bold', 'One change in the largest organization, as a ratio to the smallest'),
    '',
    bars(result, paint),
  ].join('\n');
}

function table({ sizes, kinds }: GrowthResult, paint: Paint): string {
  const columns: Column[] = [
    { title: 'organization of', align: 'left' },
    { title: 'request', align: 'left' },
    { title: `ms at ${shown(sizes[0] ?? 0, 0)}`, align: 'right' },
    ...sizes.slice(1).map((size): Column => ({ title: `× at ${shown(size, 0)}`, align: 'right' })),
  ];
  const rows = kinds.flatMap(({ kind, measured, cold }) => [
    ...measured.map(({ name, points: [first, ...others] }) => [
      kind,
      name,
      shown(first?.ms ?? 0, 2),
      ...others.map(({ ratio }) => shown(ratio, 2)),
    ]),
    [kind, 'cold load, ms', ...cold.map(({ ms }) => shown(ms, 1))],
    [kind, '  others wait at most, ms', ...cold.map(({ blockedMs }) => shown(blockedMs, 1))],
  ]);
  return renderTable(columns, rows, paint);
}

function bars({ kinds }: GrowthResult, paint: Paint): string {
  return renderBars(
    kinds.map(({ kind, measured }) => {
      const ratio = measured.find(({ name }) => name === 'one change')?.points.at(-1)?.ratio ?? 0;
      return { label: kind, value: ratio, caption: `× ${shown(ratio, 2)}` };
    }),
    paint,
  );
}

/** The section that `--write` makes. */
export function growthSection(result: GrowthResult): SectionText {
  const { machine, rounds, sizes } = result;
  const about = `## An organization as it grows

\`npm run bench -- growth --most ${sizes.at(-1)} --write\` fills organizations with ${sizes.map((size) => shown(size, 0)).join(', ')} users (each with an API key), policies, tags, wallets or private keys, sends the same requests to each in turn, and compares each with the smallest. Cold load is the reading and checking of the whole organization after it was forgotten; others are served between its slices.

What still grows: \`get_organization\` with the length of its answer, which is written once for each state and shows 1,000 items of each list, cold loads with the number of records, and whatever touches many records by its meaning, such as deleting a tag that many users have, or asking all users who could still approve.`;
  const figures = `Made on ${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds; SQLite, one process, one connection.

\`\`\`text
${table(result, plain)}

One change in the largest organization, as a ratio to the smallest:

${bars(result, plain)}
\`\`\``;
  return { about, figures, picture: 'Ratios to the smallest organization' };
}
