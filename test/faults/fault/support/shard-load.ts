import { setTimeout as sleep } from 'node:timers/promises';
import { shardIn } from '@countersign/contract';
import type { Answer, Caller } from '../../../support/caller.ts';
import { createSubOrganization, createWallet, signParams } from '../../../support/world.ts';

const RETRY_MS = 100;

/** A tenant of one shard who signs through the router, one request after the other, until it is stopped. A request that failed is repeated. */
export class ShardLoad {
  readonly shard: number;
  /** The activity of each body that was acknowledged. */
  readonly done = new Map<string, string>();
  /** Problems that no outage explains. */
  readonly violations: string[] = [];
  /** Requests without a 200 response. */
  failures = 0;
  #stopped = false;
  #running: Promise<void> | undefined;
  readonly #tenant: Caller;
  readonly #address: string;

  private constructor(shard: number, tenant: Caller, address: string) {
    this.shard = shard;
    this.#tenant = tenant;
    this.#address = address;
  }

  /** Creates the tenant under the operator of the shard, through the router. */
  static async create(shard: number, root: Caller): Promise<ShardLoad> {
    const { caller, organizationId } = await createSubOrganization(root);
    const { addresses } = await createWallet(caller);
    const load = new ShardLoad(shard, caller, addresses[0] as string);
    if ((shardIn(organizationId) ?? 0) !== shard) load.violations.push(`shard ${shard} created ${organizationId}`);
    return load;
  }

  get organizationId(): string {
    return this.#tenant.organizationId;
  }

  start(): void {
    this.#stopped = false;
    this.#running = this.#run();
  }

  /** Ends after the current request is acknowledged. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** Sends the newest acknowledged bodies again: each has the activity that it had. */
  async repeat(count: number, root?: Caller): Promise<void> {
    for (const [body, id] of [...this.done].slice(-count)) {
      const answer = await this.#send(body, root?.url);
      const found = answer?.body.activity?.id;
      if (answer?.status !== 200 || found !== id)
        this.violations.push(`shard ${this.shard}: a repeated body got ${answer?.status} ${found}, and was ${id}`);
    }
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const body = this.#tenant.submitBody('signRawPayload', signParams(this.#address), { timestampMs: String(Date.now()) });
      await this.#acknowledge(body);
    }
  }

  async #acknowledge(body: string): Promise<void> {
    for (;;) {
      const answer = await this.#send(body);
      if (answer?.status === 200) {
        this.done.set(body, answer.body.activity.id);
        return;
      }
      this.failures += 1;
      if (answer !== undefined && answer.status !== 503) {
        this.violations.push(`shard ${this.shard}: ${answer.status} ${JSON.stringify(answer.body)}`);
        return;
      }
      await sleep(RETRY_MS);
    }
  }

  #send(body: string, url = this.#tenant.url): Promise<Answer | undefined> {
    const tenant = this.#tenant.with({ url });
    // A connection that breaks leaves the outcome unknown, like 503.
    return tenant.send(tenant.submitPath('signRawPayload'), body).catch(() => undefined);
  }
}
