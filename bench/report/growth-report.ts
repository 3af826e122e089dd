import type { Report } from '../bench.ts';
import type { ConcurrentResult } from '../growth/concurrent.ts';
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
  /** No organization was larger. */
  readonly most: number;
  readonly kinds: readonly KindResult[];
  /** Changes during signatures. */
  readonly concurrent: readonly ConcurrentResult[];
}

/** Organizations that have many of one kind. */
export interface KindResult {
  readonly kind: string;
  readonly sizes: readonly number[];
  readonly measured: readonly {
    readonly name: string;
    readonly points: readonly {
      readonly size: number;
      /** Until the client has read the answer. */
      readonly ms: number;
      /** CPU time of the service. */
      readonly cpuMs: number;
      /** Of the CPU time, to that in the smallest organization. */
      readonly ratio: number;
    }[];
  }[];
  /** Time to read the whole organization from the database, and the longest time that it blocked the event loop. */
  readonly cold: readonly { readonly size: number; readonly ms: number; readonly blockedMs: number }[];
}

/** Shows the cost of requests as an organization grows. */
export function growthReport(result: GrowthResult): Report {
  return { json: result, text: (paint) => render(result, paint) };
}

function render(result: GrowthResult, paint: Paint): string {
  const { machine, rounds } = result;
  return [
    paint('bold', 'One organization as it grows: CPU time of the service for the same request, as a ratio to the smallest size'),
    paint('dim', `${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds`),
    ...(result.kinds.length === 0
      ? []
      : [
          '',
          tables(result, paint),
          '',
          paint('bold', 'One change in the largest organization, as a ratio to the smallest'),
          '',
          bars(result, paint),
        ]),
    ...(result.concurrent.length === 0
      ? []
      : ['', paint('bold', 'Users are created beside signatures'), '', concurrentTable(result, paint)]),
  ].join('\n');
}

/** Kinds of the same sizes, in order. */
function groupsOf(kinds: readonly KindResult[]): readonly (readonly KindResult[])[] {
  const groups = new Map<string, KindResult[]>();
  for (const kind of kinds) {
    const key = kind.sizes.join();
    groups.set(key, [...(groups.get(key) ?? []), kind]);
  }
  return [...groups.values()];
}

function tables({ kinds }: GrowthResult, paint: Paint): string {
  return groupsOf(kinds)
    .map((group) => table(group, paint))
    .join('\n\n');
}

function table(kinds: readonly KindResult[], paint: Paint): string {
  const [least = 0, ...larger] = kinds[0]?.sizes ?? [];
  const columns: Column[] = [
    { title: 'organization of', align: 'left' },
    { title: 'request', align: 'left' },
    { title: `ms at ${shown(least, 0)}`, align: 'right' },
    { title: 'CPU ms', align: 'right' },
    ...larger.map((size): Column => ({ title: `× at ${shown(size, 0)}`, align: 'right' })),
  ];
  const rows = kinds.flatMap(({ kind, measured, cold: [first, ...others] }) => [
    ...measured.map(({ name, points: [smallest, ...points] }) => [
      kind,
      name,
      shown(smallest?.ms ?? 0, 2),
      shown(smallest?.cpuMs ?? 0, 2),
      ...points.map(({ ratio }) => shown(ratio, 2)),
    ]),
    [kind, 'cold load, ms', shown(first?.ms ?? 0, 1), '', ...others.map(({ ms }) => shown(ms, 1))],
    [
      kind,
      '  others wait at most, ms',
      shown(first?.blockedMs ?? 0, 1),
      '',
      ...others.map(({ blockedMs }) => shown(blockedMs, 1)),
    ],
  ]);
  return renderTable(columns, rows, paint);
}

function concurrentTable({ concurrent }: GrowthResult, paint: Paint): string {
  const smallest = new Map<string, ConcurrentResult>();
  for (const row of concurrent) if (!smallest.has(row.arrangement)) smallest.set(row.arrangement, row);
  const columns: Column[] = [
    { title: 'served by', align: 'left' },
    { title: 'users', align: 'right' },
    { title: 'CPU ms of a signature', align: 'right' },
    { title: 'beside changes', align: 'right' },
    { title: '×', align: 'right' },
    { title: '× smallest', align: 'right' },
    { title: 'worst ms', align: 'right' },
    { title: 'CPU ms of a change', align: 'right' },
    { title: 'ms', align: 'right' },
  ];
  const rows = concurrent.map((row) => [
    row.arrangement,
    shown(row.users, 0),
    shown(row.aloneCpuMs, 2),
    shown(row.besideCpuMs, 2),
    shown(row.besideCpuMs / row.aloneCpuMs, 2),
    shown(row.besideCpuMs / (smallest.get(row.arrangement)?.besideCpuMs ?? 0), 2),
    shown(row.worstMs, 0),
    shown(row.changeCpuMs, 1),
    shown(row.changeMs, 1),
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

/** As in `10, 1,000 and 50,000 users, policies or tags`. */
function describeGroup(group: readonly KindResult[]): string {
  const listed = (items: readonly string[], word: string) =>
    items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ${word} ${items.at(-1)}`;
  const sizes = (group[0]?.sizes ?? []).map((size) => shown(size, 0));
  return `${listed(sizes, 'and')} ${listed(
    group.map(({ kind }) => kind),
    'or',
  )}`;
}

/** The section that `--write` makes. */
export function growthSection(result: GrowthResult): SectionText {
  const { machine, rounds, most, kinds } = result;
  const about = `## A growing organization

\`npm run bench -- growth --most ${most} --write\` fills one organization for each size, each in a separate installation: ${groupsOf(kinds).map(describeGroup).join('; ')}. Each user has an API key, and all but a few activities are signatures. It sends the same requests to each of them in alternation.

The ratios compare the CPU time of the service for one request with that in the smallest organization. For a signature and for a change, this includes the integration of the activity into the log. The columns before the ratios are for the smallest organization: the time until the client has read the response, and the CPU time. Cold load is the time to load and verify the whole organization after it was evicted from the cache; other requests are served between its slices.

These costs still grow: \`get_organization\` with the length of its response, which has up to 1,000 items of each list; cold loads with the number of records; and operations that affect many records, such as deleting a tag that many users have, or finding the users who could still approve. \`get_organization\` is measured between changes.`;
  const figures = `Made on ${machine.cores} × ${machine.processor}, Node ${machine.node}; medians of ${rounds} interleaved rounds; SQLite, one process, one connection.

\`\`\`text
${tables(result, plain)}

One change in the largest organization, as a ratio of CPU time to the smallest:

${bars(result, plain)}
\`\`\`

One user is created every half second, at the nodes in turn, beside six signers; then six writers create users without signers. CPU time is that of all service processes, without PostgreSQL. Nodes share the cores of this machine.

\`\`\`text
${concurrentTable(result, plain)}
\`\`\``;
  return { about, figures, picture: 'Ratios of CPU time to the smallest organization' };
}
