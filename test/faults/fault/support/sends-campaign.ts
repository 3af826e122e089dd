import { setTimeout as sleep } from 'node:timers/promises';
import { paidBitcoin } from './sends-bitcoin.ts';
import type { PaidChain, SendsFound } from './sends-chain.ts';
import { paidEthereum } from './sends-ethereum.ts';
import { Requests } from './sends-requests.ts';
import { type Place, type Serving, serve } from './serving.ts';

/** The chains on which servers that are killed can pay. */
export const paidChains = { ethereum: paidEthereum, bitcoin: paidBitcoin } as const satisfies Record<
  string,
  () => Promise<PaidChain>
>;
export type PaidChainName = keyof typeof paidChains;

export interface SendsOptions {
  readonly place: Place;
  readonly chain?: PaidChainName;
  readonly kills: number;
  /** Servers on the database, which all send from the same accounts. */
  readonly nodes: number;
  readonly accounts?: number;
  readonly onKill?: (kills: number) => void;
}

export interface SendsReport extends SendsFound {
  readonly kills: number;
  /** Requests without an answer at first. All were sent again. */
  readonly unanswered: number;
  readonly replaced: number;
}

const CLIENTS = 6;

/** Servers that are killed and started again. */
class Nodes {
  readonly #start: () => Promise<Serving>;
  readonly running: (Serving | undefined)[];
  kills = 0;

  constructor(start: () => Promise<Serving>, first: readonly Serving[]) {
    this.#start = start;
    this.running = [...first];
  }

  /** Kills one at a random time, and starts it again. */
  async kill(): Promise<void> {
    await sleep(100 + Math.random() * 1_400);
    const at = Math.floor(Math.random() * this.running.length);
    const victim = this.running[at];
    this.running[at] = undefined;
    await victim?.kill();
    this.kills += 1;
    this.running[at] = await this.#start();
  }
}

/** Kills servers that send payments of a few accounts, and then checks every payment against the chain. */
export async function runSends(options: SendsOptions): Promise<SendsReport> {
  const { place, chain: name = 'ethereum', kills, nodes: count, accounts = 3, onKill } = options;
  const chain = await paidChains[name]();
  const start = () => serve(place, [], { environment: chain.environment });
  // The first server creates the installation.
  const first = await start();
  const others = await Promise.all(Array.from({ length: count - 1 }, start));
  const nodes = new Nodes(start, [first, ...others]);
  try {
    await chain.prepare(first.root, accounts);
    const requests = new Requests(nodes.running, first.root);
    let isOver = false;
    const client = async () => {
      for (; !isOver; await sleep(Math.random() * 400)) await chain.pay(requests);
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, client));
    while (nodes.kills < kills) {
      await nodes.kill();
      onKill?.(nodes.kills);
    }
    isOver = true;
    await clients;
    const { url } = nodes.running.find((node) => node !== undefined) as Serving;
    const found = await chain.check(first.root.with({ url }), await place.raw());
    return { ...found, kills: nodes.kills, unanswered: requests.unanswered, replaced: chain.replaced };
  } finally {
    await Promise.all(nodes.running.map((node) => node?.kill()));
    await chain.close();
  }
}

/** The report in the form of the other campaigns. */
export function renderSends(
  store: string,
  { kills, payments, replaced, cancelled, unanswered, violations }: SendsReport,
): string {
  const lines = [
    `${store}: ${kills} kills, ${payments} payments acknowledged, ${replaced} replaced, ${cancelled} cancelled, ${unanswered} unanswered requests; violations = ${violations.length}`,
    ...violations.map((violation) => `  ${violation}`),
  ];
  return lines.join('\n');
}
