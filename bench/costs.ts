import type { Bench } from './bench.ts';
import { startBareServer } from './costs/bare-server.ts';
import { type Centre, centres } from './costs/centres.ts';
import { type Costs, startProfiled } from './costs/profiled.ts';
import type { LoadTarget } from './load/messages.ts';
import { stampRequests } from './load/stamped-requests.ts';
import { type Loops, startLoops } from './loops/loops.ts';
import { describeMachine } from './machine.ts';
import { type CentreCost, type CostsResult, costsReport, costsSection } from './report/costs-report.ts';
import { writeSection } from './report/performance-page.ts';
import { SIGNING_PATH, signingBody } from './signing-request.ts';
import { createStages } from './stage.ts';
import { Stamper } from './stamper.ts';
import { spreadOf } from './statistics.ts';

/** Rows of a commit whose own cost is spread too thin to see. */
const MANY = 1_000;
/** Of an answer: the status line and the headers, about. */
const HEAD_BYTES = 200;
/** How long each floor is measured in a round. */
const FLOOR_SECONDS = 0.3;

/** The floor of each centre, as a loop of that name or as a difference of two. Others have none: a better design could do without. */
const floors: Partial<Record<Centre, (loop: (name: string) => number, connections: number) => number>> = {
  'stamp: P-256 verify': (loop) => loop('verify'),
  'secp256k1 sign': (loop) => loop('sign'),
  'check of the signature': (loop) => loop('check'),
  'HTTP, sockets, event loop': (loop, connections) => loop(`exchange ${connections}`),
  'database: rows': (loop) => loop(`commits of ${MANY}`),
  'database: begin, commit': (loop, connections) => loop(`commits of ${connections}`) - loop(`commits of ${MANY}`),
  'hashes, MACs': (loop) => loop('hashes'),
  'body: strict reading, schemas': (loop) => loop('read'),
  'record and answer as text': (loop) => loop('write'),
};

/** CPU time of a signing request by part, compared to the minimum of each part and to an earlier build. */
export const costs: Bench = {
  summary: 'where the CPU time of a signing request goes, and what each part takes at least',

  async run({ options, leftovers, progress }) {
    const machine = describeMachine(leftovers);
    const stages = createStages(leftovers);
    progress('starting and warming up');
    const now = await startProfiled(leftovers, stages);
    const before = options.before === '' ? undefined : await startProfiled(leftovers, stages, options.before);
    const answer = await answerOf(now.target);
    const [request] = stampRequests(now.target, 1);
    const bareServer = await startBareServer(leftovers, request?.bytes.length ?? 0, HEAD_BYTES + answer.length);
    const loops = startLoops(leftovers, 'floors', { answer, commits: [...options.connections, MANY] });
    const names = [
      'verify',
      'sign',
      'check',
      'hashes',
      'read',
      'write',
      ...[...options.connections, MANY].map((rows) => `commits of ${rows}`),
    ];

    const seen = new Map<string, number[]>();
    const note = (name: string, micros: number) => seen.set(name, [...(seen.get(name) ?? []), micros]);
    const noteCosts = (name: string, { centres: own, others, total }: Costs) => {
      for (const [centre, micros] of own) note(`${name} ${centre}`, micros);
      note(`${name} others`, others);
      note(`${name} total`, total);
    };
    for (let round = 0; round < options.rounds; round++) {
      progress(`round ${round + 1} of ${options.rounds}`);
      for (const connections of options.connections) {
        noteCosts(`now ${connections}`, await now.costs(connections, options.seconds));
        if (before !== undefined) noteCosts(`before ${connections}`, await before.costs(connections, options.seconds));
        note(`exchange ${connections}`, await bareServer.cpuMicros(connections, FLOOR_SECONDS));
      }
      await measureLoops(loops, names, note);
    }
    const median = (name: string) => spreadOf(seen.get(name) ?? []).median;
    const costOf = (connections: number, key: string, name: string, floor?: number): CentreCost => ({
      name,
      micros: median(`now ${connections} ${key}`),
      ...(before !== undefined && { beforeMicros: median(`before ${connections} ${key}`) }),
      ...(floor !== undefined && { floorMicros: floor }),
    });
    const result: CostsResult = {
      bench: 'costs',
      machine,
      rounds: options.rounds,
      loads: options.connections.map((connections) => ({
        connections,
        centres: [
          ...centres.map((centre) => costOf(connections, centre, centre, floors[centre]?.(median, connections))),
          costOf(connections, 'others', 'other threads'),
        ],
        total: costOf(connections, 'total', 'together'),
      })),
    };
    if (options.write) writeSection('costs', costsSection(result));
    return costsReport(result);
  },
};

async function measureLoops(loops: Loops, names: readonly string[], note: (name: string, micros: number) => void): Promise<void> {
  for (const name of names) note(name, await loops.cpuMicros(name, FLOOR_SECONDS));
}

/** One real answer to a signing request. */
async function answerOf(target: LoadTarget): Promise<string> {
  const body = signingBody(target, '00'.repeat(32), Date.now());
  const headers = { 'Content-Type': 'application/json', 'X-Stamp': new Stamper(target).stamp(body) };
  const response = await fetch(`http://${target.host}:${target.port}${SIGNING_PATH}`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`not signed: ${text}`);
  return text;
}
