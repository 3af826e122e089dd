import type { ChainClient } from '../chain-nodes/chain-client.ts';
import type { Write } from '../store/rows.ts';
import type { SendAccountKey, SendChange } from '../store/send-store.ts';
import type { Integrity } from '../vault/vault.ts';
import type { TopUpProgress } from './advance-top-up.ts';
import type { Broadcast } from './broadcast.ts';
import type { FollowedChain } from './send-chain.ts';
import { followedChain } from './send-chains.ts';
import { accountWrite, isFinal, nonceAfter, type SendRecord, sendWrite, type WaitingSend, waitsForTopUp } from './send-record.ts';
import type { Sending } from './sending.ts';

export interface AdvanceServices {
  readonly sending: Pick<Sending, 'account' | 'confirmations'>;
  readonly integrity: Integrity;
  change(change: SendChange): Promise<boolean>;
  /** Brings the top-up of a transaction forward. */
  advanceTopUp(send: WaitingSend): Promise<TopUpProgress>;
  /** The events about new states, written with them. */
  eventsFor(record: SendRecord): Promise<readonly Write[]>;
  nowMs(): number;
  /** A transaction reached a state. */
  onState(record: SendRecord): void;
}

/** Pause until the nodes are asked again about a transaction that is out. */
const FOLLOW_MS = 2_000;

/** Another process changed the account meanwhile. The next claim continues with what it stored. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/**
 * Brings the transactions of an account forward: sends those that are due in the order of their nonces, and follows those that are out.
 * Returns the pause until the next call, or undefined if nothing is left to do. Throws if the nodes do not respond or disagree; everything
 * that was stored until then stays true.
 * INVARIANT: D741: every state is stored before the step that follows from it, and each step can be repeated. So a crash at any point
 * neither loses a transaction nor sends another one.
 */
export async function advanceAccount(
  services: AdvanceServices,
  client: ChainClient,
  key: SendAccountKey,
): Promise<number | undefined> {
  try {
    const pass = new Pass(services, client, key);
    await pass.load();
    await pass.follow();
    await pass.sendDue();
    return pass.pauseMs();
  } catch (error) {
    if (error instanceof Overtaken) return 0;
    throw error;
  }
}

/** Whether nodes have a transaction that replaces this one. They would reject this one. */
function isReplaced({ id }: SendRecord, sends: readonly SendRecord[]): boolean {
  const newer = sends.find(({ replaces }) => replaces === id);
  if (newer === undefined || isFinal(newer)) return false;
  return (newer.isOut && newer.lastError === undefined) || isReplaced(newer, sends);
}

class Pass {
  readonly #services: AdvanceServices;
  readonly #client: ChainClient;
  readonly #key: SendAccountKey;
  readonly #chain: FollowedChain;
  #sends: readonly SendRecord[] = [];
  #floor = 0;
  #revision = 0;
  #expected = 0;

  constructor(services: AdvanceServices, client: ChainClient, key: SendAccountKey) {
    this.#services = services;
    this.#client = client;
    this.#key = key;
    this.#chain = followedChain(client);
  }

  async load(): Promise<void> {
    const { account, active } = await this.#services.sending.account(this.#key);
    this.#sends = active;
    this.#floor = account?.floor ?? 0;
    this.#revision = account?.revision ?? 0;
  }

  async follow(): Promise<void> {
    if (this.#sends.length === 0) return;
    const { confirmations } = this.#services.sending;
    const view = await this.#chain.view(this.#client, this.#key.account, this.#sends, confirmations);
    this.#expected = view.expected;
    await this.#store(this.#sends.map(view.next));
  }

  /**
   * On a chain with nonces in their order: a node would let a later transaction wait for an earlier one that it does not have. It may have one
   * that something else signed with the key of the account.
   */
  async sendDue(): Promise<void> {
    const { nowMs } = this.#services;
    const { isInSequence, againMs } = this.#chain;
    let expected = this.#expected;
    let lastToSend = Number.POSITIVE_INFINITY;
    for (const { id } of [...this.#sends]) {
      const send = this.#sends.find((each) => each.id === id);
      if (send === undefined || isFinal(send) || send.state === 'INCLUDED') {
        expected = Math.max(expected, send === undefined ? 0 : nonceAfter(send));
        continue;
      }
      // D1003: the next nonce is that of an authorization. Pools would let a later one wait for it, and some do so forever.
      if (!send.isOut && send.nonce > lastToSend) continue;
      if (isInSequence && !send.isOut && send.nonce > expected)
        await this.#refuse(send, `The earlier transaction with the nonce ${expected} was not accepted. Send it again.`);
      else if (waitsForTopUp(send)) {
        if (!(await this.#topUp(send))) lastToSend = Math.min(lastToSend, send.nonce);
      } else if (send.state === 'INITIALIZED' || (nowMs() - send.updatedAtMs >= againMs && !isReplaced(send, this.#sends)))
        await this.#send(send);
      const now = this.#sends.find((each) => each.id === id);
      if (now === undefined || isFinal(now)) continue;
      expected = Math.max(expected, nonceAfter(now));
      if (nonceAfter(now) > now.nonce + 1) lastToSend = Math.min(lastToSend, now.nonce);
    }
  }

  /**
   * Hands a transaction over once its account has what its sponsor pays. Returns false while it waits: then later ones of the account wait too.
   * INVARIANT: D911: no node has the transaction before, so its nonce is free if it ends.
   */
  async #topUp(send: WaitingSend): Promise<boolean> {
    const progress = await this.#services.advanceTopUp(send);
    if (progress.step === 'ENDED') {
      await this.#refuse(send, progress.reason);
      return true;
    }
    if (progress.step === 'WAITING') {
      await this.#store([{ ...send, lastError: progress.reason }]);
      return false;
    }
    await this.#store([{ ...send, topUp: { ...send.topUp, isPaid: true }, lastError: undefined }]);
    await this.#send(this.#sends.find(({ id }) => id === send.id) ?? send);
    return true;
  }

  pauseMs(): number | undefined {
    return this.#sends.some((send) => !isFinal(send)) ? FOLLOW_MS : undefined;
  }

  /** INVARIANT: the attempt is stored before the nodes are called. So after a crash, a rejection does not pass for the first answer. */
  async #send(send: SendRecord): Promise<void> {
    const isFirst = send.attempts === 0;
    await this.#store([{ ...send, state: 'BROADCASTING', isOut: true, attempts: send.attempts + 1 }]);
    const result: Broadcast = await this.#chain.broadcast(this.#client, send);
    const attempted = this.#sends.find(({ id }) => id === send.id) ?? send;
    if (result.outcome === 'REJECTED' && isFirst) {
      await this.#refuse(
        { ...attempted, isOut: false },
        `The nodes rejected the transaction: ${result.reason}. Nothing was sent.`,
      );
      return;
    }
    const lastError = this.#lastError(result);
    if (lastError !== attempted.lastError) await this.#store([{ ...attempted, lastError }]);
  }

  /**
   * SECURITY: D909: a rejection after the first attempt ends nothing. A node that had the transaction may have passed it on, so that a block
   * contains it as soon as the cause is gone. Only a transaction with its nonce ends it, such as a cancellation.
   */
  #lastError(result: Broadcast): string | undefined {
    if (result.outcome === 'ACCEPTED') return undefined;
    const { rejectedLater } = this.#chain;
    return result.outcome === 'REJECTED' && rejectedLater !== undefined ? `${result.reason}. ${rejectedLater}` : result.reason;
  }

  /** Ends a transaction that no node has. Its nonce is free again, which moves the account. */
  #refuse(send: SendRecord, failure: string): Promise<void> {
    return this.#store([{ ...send, state: 'FAILED', failure, lastError: undefined }], true);
  }

  /** Stores what changed, with its events. */
  async #store(next: readonly SendRecord[], frees = false): Promise<void> {
    const { integrity, change, eventsFor, nowMs, onState } = this.#services;
    const changed = next.filter((send) => JSON.stringify(send) !== JSON.stringify(this.#sends.find(({ id }) => id === send.id)));
    if (changed.length === 0) return;
    const stored = changed.map((send) => ({ ...send, revision: send.revision + 1, updatedAtMs: nowMs() }));
    const isNewState = (send: SendRecord) => this.#sends.find(({ id }) => id === send.id)?.state !== send.state;
    const moved = stored.filter(isNewState);
    const floor = this.#chain.floor(this.#floor, stored);
    const movesAccount = frees || floor !== this.#floor;
    const revision = this.#revision + 1;
    const writes = [
      ...stored.map((send) => sendWrite(integrity, send)),
      ...(movesAccount ? [accountWrite(integrity, this.#key, { revision, floor, dueAtMs: nowMs() })] : []),
      ...(await Promise.all(moved.map(eventsFor))).flat(),
    ];
    const expected = changed.map(({ id, revision: before }) => ({ id, revision: before }));
    const accountRevision = movesAccount ? { accountRevision: this.#revision } : {};
    if (!(await change({ ...this.#key, expected, ...accountRevision, writes }))) throw new Overtaken();
    const byId = new Map(stored.map((send) => [send.id, send]));
    this.#sends = this.#sends.map((send) => byId.get(send.id) ?? send);
    this.#floor = floor;
    if (movesAccount) this.#revision = revision;
    for (const send of moved) onState(send);
  }
}
