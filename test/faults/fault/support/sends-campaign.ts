import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIN, fundedAccount } from '../../../features/sending/support.ts';
import { type Anvil, startAnvil } from '../../../support/anvil.ts';
import type { Answer, Caller, Json } from '../../../support/caller.ts';
import { errorOf } from '../../../support/world.ts';
import { checkSends, type Payment, type SendsFound } from './sends-checker.ts';
import { type Place, type Serving, serve } from './serving.ts';
import { oneOf } from './workload.ts';

export interface SendsOptions {
  readonly place: Place;
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
/** The share of payments that a client then speeds up or cancels. */
const REPLACED = 0.25;

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

/** Kills servers that send payments of a few accounts to a real node, and then checks every payment against the chain. */
export async function runSends({ place, kills, nodes: count, accounts = 3, onKill }: SendsOptions): Promise<SendsReport> {
  const anvil = await startAnvil();
  const environment = {
    COUNTERSIGN_CHAIN_ENDPOINTS: JSON.stringify({ [CHAIN]: [anvil.url] }),
    COUNTERSIGN_CHAIN_NETWORKS: '127.0.0.0/8',
    COUNTERSIGN_SEND_CONFIRMATIONS: '2',
  };
  const start = () => serve(place, [], { environment });
  // The first server creates the installation.
  const first = await start();
  const others = await Promise.all(Array.from({ length: count - 1 }, start));
  const nodes = new Nodes(start, [first, ...others]);
  try {
    const from = await Promise.all(Array.from({ length: accounts }, () => fundedAccount(first.root, anvil, 10_000)));
    await anvil.call('evm_setAutomine', [false]);
    await anvil.call('evm_setIntervalMining', [1]);
    const load = new Load(nodes, first.root, from);
    const clients = Array.from({ length: CLIENTS }, () => load.run());
    while (nodes.kills < kills) {
      await nodes.kill();
      onKill?.(nodes.kills);
    }
    load.stop();
    await Promise.all(clients);
    const { payments, unanswered, replaced } = load;
    const { url } = nodes.running.find((node) => node !== undefined) as Serving;
    const found = await checkSends({ root: first.root.with({ url }), anvil, accounts: from, payments, raw: await place.raw() });
    return { ...found, kills: nodes.kills, unanswered, replaced };
  } finally {
    await end(nodes, anvil);
  }
}

async function end(nodes: Nodes, anvil: Anvil): Promise<void> {
  await Promise.all(nodes.running.map((node) => node?.kill()));
  await anvil.stop();
}

/** Clients that pay, each payment to a receiver of its own and under a name, until the service acknowledges it. */
class Load {
  readonly #nodes: Pick<Nodes, 'running'>;
  readonly #root: Caller;
  readonly #accounts: readonly string[];
  readonly payments: Payment[] = [];
  #number = 0;
  #isOver = false;
  unanswered = 0;
  replaced = 0;

  constructor(nodes: Pick<Nodes, 'running'>, root: Caller, accounts: readonly string[]) {
    this.#nodes = nodes;
    this.#root = root;
    this.#accounts = accounts;
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    while (!this.#isOver) {
      this.#number += 1;
      const number = this.#number;
      const from = oneOf(this.#accounts);
      const to = `0x${(0xfee0_0000_0000 + number).toString(16).padStart(40, '0')}`;
      const params = { from, caip2: CHAIN, to, value: `${number}`, idempotencyKey: `payment-${number}` };
      const activityId = await this.#untilAcknowledged(params);
      const payment: Payment = { from, to, value: BigInt(number), activityId };
      this.payments.push(payment);
      if (Math.random() < REPLACED) await this.#replace(payment);
      await sleep(Math.random() * 400);
    }
  }

  /** The activity that made the payment: of this request, or of one whose answer was lost. */
  async #untilAcknowledged(params: object): Promise<string> {
    for (;;) {
      const answer = await this.#try((caller) => caller.submit('ethSendTransaction', params));
      if (answer?.status === 200 && answer.body.activity.status === 'ACTIVITY_STATUS_COMPLETED') return answer.body.activity.id;
      const { code } = answer === undefined ? { code: 'NO_ANSWER' } : errorOf(answer);
      if (code === 'IDEMPOTENCY_KEY_USED') return answer?.body.activityId ?? answer?.body.message.match(/Activity (\S+)/)[1];
      // A full account, or a node of the chain that is slow.
      await sleep(100);
    }
  }

  async #replace({ from, activityId }: Payment): Promise<void> {
    const details = await this.#try<Json>((caller) => caller.data('getActivity', { activityId }));
    if (details === undefined) return;
    const { sendTransactionStatusId } = details.activity.result.ethSendTransactionResult;
    const replacement = Math.random() < 0.5 ? 'SPEED_UP' : 'CANCEL';
    const params = { from, caip2: CHAIN, sendTransactionStatusId, replacement };
    const answer = await this.#try((caller) => caller.submit('ethReplaceTransaction', params));
    if (answer?.status === 200) this.replaced += 1;
  }

  async #try<T = Answer>(request: (caller: Caller) => Promise<T>): Promise<T | undefined> {
    const node = oneOf(this.#nodes.running);
    if (node === undefined) return undefined;
    try {
      return await request(this.#root.with({ url: node.url }));
    } catch {
      // The server was killed. What it did is not known.
      this.unanswered += 1;
      return undefined;
    }
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
