import { randomBytes } from 'node:crypto';
import { RootKeyUnavailable } from '../errors.ts';
import { encodeFields } from '../integrity/keyed-hash.ts';
import type { RootKey } from './root-key.ts';

/** Whether the root key can be used now. */
export interface RootKeyState {
  /** `lost`: the service still uses the data keys in its memory. `stopped`: it uses none. */
  readonly status: 'available' | 'lost' | 'stopped';
  /** An operator sealed the key on purpose. */
  readonly isSealed?: true;
  /** The last error, if the key is not available. */
  readonly reason?: string;
}

export interface AvailabilityOptions {
  /** Where the key comes from, for messages. */
  readonly source: string;
  /** How long data keys in memory may be used after the loss of the root key. 0: not at all. */
  readonly graceMs: number;
  /** The longest time that one use of the root key may take. */
  readonly timeoutMs: number;
  /** The time between two checks. */
  readonly checkMs: number;
  /** Wipes the data keys and what they opened. Called when the grace period ends. */
  onStopped(): void;
  onChange(state: RootKeyState): void;
  /** Called with the duration of each use that ended, in seconds. */
  readonly onUsed?: ((seconds: number) => void) | undefined;
}

/** The time after which a lost key is tried again. */
const RETRY_MS = 1_000;
const PROBE = encodeFields('countersign/root-key-probe/v1');

/**
 * Watches root keys outside this process: bounds the time of each use, checks them at intervals, and notices their loss and return.
 * INVARIANT: a lost key fails immediately until a check succeeds, so that requests do not queue behind a provider that does not answer.
 */
export class RootKeyAvailability {
  readonly #options: AvailabilityOptions;
  /** The keys that `watch` returned, with those that it was given. */
  readonly #watched = new WeakMap<RootKey, RootKey>();
  /** Keys before a rotation. Their loss does not matter. */
  readonly #replaced = new WeakSet<RootKey>();
  #checked: RootKey | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lost:
    | { readonly atMs: number; readonly reason: string; readonly fix: string; stopped: boolean; readonly isSealed?: true }
    | undefined;
  #closed = false;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
  }

  /** The same key. A remote one reports each success and failure, and fails in time. */
  watch = (key: RootKey): RootKey => {
    if (key.isRemote === undefined) return key;
    const watched = Object.freeze<RootKey>({
      id: key.id,
      isRemote: true,
      wrap: (plain, associatedData) => this.#use(key, () => key.wrap(plain, associatedData)),
      unwrap: (wrapped, associatedData) => this.#use(key, () => key.unwrap(wrapped, associatedData)),
      wipe: () => key.wipe(),
    });
    this.#watched.set(watched, key);
    key.onSealed?.(() => {
      if (!this.#replaced.has(key)) this.#seal();
    });
    return watched;
  };

  /** Checks a watched key at intervals from now on, if it is remote, and no other. */
  start(watched: RootKey): void {
    if (this.#checked !== undefined) this.#replaced.add(this.#checked);
    this.#checked = this.#watched.get(watched);
    clearTimeout(this.#timer);
    if (this.#checked !== undefined) this.#schedule(this.#options.checkMs);
    else if (this.#lost !== undefined) this.#return();
  }

  /** Throws RootKeyUnavailable if the key was lost and the grace period is over. */
  requireUsable(): void {
    if (this.state().status === 'stopped') throw this.#unavailable();
  }

  state(): RootKeyState {
    if (this.#lost === undefined) return { status: 'available' };
    const { atMs, reason } = this.#lost;
    if (performance.now() - atMs < this.#options.graceMs) return { status: 'lost', reason };
    this.#stop(this.#lost);
    return { status: 'stopped', reason, ...(this.#lost?.isSealed && { isSealed: true }) };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #use<T>(key: RootKey, action: () => Promise<T>): Promise<T> {
    if (this.#lost !== undefined) throw this.#unavailable();
    try {
      return await this.#inTime(action());
    } catch (error) {
      if (error instanceof RootKeyUnavailable && !this.#replaced.has(key)) this.#lose(error);
      throw error;
    }
  }

  /** Rejects with RootKeyUnavailable if the provider does not answer. */
  async #inTime<T>(answer: Promise<T>): Promise<T> {
    const { source, timeoutMs, onUsed } = this.#options;
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = () =>
        new RootKeyUnavailable(`${source} does not answer within ${timeoutMs} ms`, 'check the provider and the way to it');
      timer = setTimeout(() => reject(error()), timeoutMs);
    });
    return Promise.race([answer, late]).finally(() => {
      clearTimeout(timer);
      onUsed?.((performance.now() - startedAt) / 1000);
    });
  }

  #lose({ message: reason, fix }: RootKeyUnavailable): void {
    if (this.#closed || this.#lost !== undefined) return;
    this.#lost = { atMs: performance.now(), reason, fix, stopped: false };
    this.#options.onChange({ status: 'lost', reason });
    this.state();
    if (this.#checked !== undefined) this.#schedule(RETRY_MS);
  }

  /** SECURITY: a key that was sealed on purpose has no grace period. */
  #seal(): void {
    if (this.#closed) return;
    const isNew = this.#lost === undefined;
    const reason = `${this.#options.source}: the root key was sealed`;
    const stopped = this.#lost?.stopped ?? false;
    this.#lost = {
      atMs: Number.NEGATIVE_INFINITY,
      reason,
      fix: "give shares with 'countersign unseal'",
      stopped,
      isSealed: true,
    };
    if (isNew) this.#options.onChange({ status: 'lost', reason });
    this.state();
    if (this.#checked !== undefined) this.#schedule(RETRY_MS);
  }

  #return(): void {
    if (this.#closed) return;
    this.#lost = undefined;
    this.#options.onChange({ status: 'available' });
  }

  #stop(lost: { stopped: boolean; readonly reason: string }): void {
    if (lost.stopped) return;
    lost.stopped = true;
    this.#options.onStopped();
    this.#options.onChange({ status: 'stopped', reason: lost.reason });
  }

  #schedule(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.#check(), delayMs).unref();
  }

  async #check(): Promise<void> {
    const key = this.#checked as RootKey;
    const sample = randomBytes(32);
    try {
      const opened = await this.#inTime(key.wrap(sample, PROBE).then((wrapped) => key.unwrap(wrapped, PROBE)));
      const isSame = opened !== undefined && Buffer.compare(opened.bytes, sample) === 0;
      opened?.wipe();
      if (!isSame) throw new RootKeyUnavailable(`${this.#options.source} does not unwrap what it wrapped`, 'check the provider');
      if (this.#lost !== undefined && this.#checked === key) this.#return();
    } catch (error) {
      // Any failure of a check counts as a loss: refusing is safe, and the next check decides again.
      if (this.#checked === key)
        this.#lose(error instanceof RootKeyUnavailable ? error : new RootKeyUnavailable(String(error), 'check the provider'));
    } finally {
      // Ends the grace period also if no request asks.
      this.state();
      if (this.#checked === key) this.#schedule(this.#lost === undefined ? this.#options.checkMs : RETRY_MS);
    }
  }

  #unavailable(): RootKeyUnavailable {
    const { reason = 'the root key is not available', fix = 'check the provider' } = this.#lost ?? {};
    return new RootKeyUnavailable(reason, fix);
  }
}
