import { setTimeout as sleep } from 'node:timers/promises';
import { RootKeyUnavailable } from '../../../errors.ts';
import { Secret } from '../../../keys/secret.ts';
import { localRootKey, type RootKey } from '../../root-key.ts';
import type { SocketAnswer } from './unseal-socket.ts';

/** The bytes of a root key, on the way to a worker process. */
export interface HandedKey {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** The provider that collects shares in this process. */
export interface Collector {
  /** Takes a share. Rejects with RootKeyUnavailable and the reason if it is refused. */
  give(share: string): Promise<SocketAnswer>;
  /** Copies of the keys that are unsealed. */
  copies(): readonly HandedKey[];
}

/** A process that has keys. */
interface KeyProcess {
  readonly ended: Promise<unknown>;
  kill(): void;
}

/** How long to wait for killed processes. */
const KILL_MS = 5_000;

/**
 * Root keys in shares, among the processes of one service: one process collects the shares and gives the keys to its workers. Sealing
 * ends all of them.
 */
export class Custody {
  readonly #handed: ReadonlyMap<string, Secret> | undefined;
  readonly #processes = new Set<KeyProcess>();
  #collector: Collector | undefined;
  readonly #exit: () => void;

  private constructor(handed: ReadonlyMap<string, Secret> | undefined, exit: () => void) {
    this.#handed = handed;
    this.#exit = exit;
  }

  /** In the process that collects the shares. `exit` ends it after it was sealed. */
  static collecting(exit: () => void): Custody {
    return new Custody(undefined, exit);
  }

  /** In a worker, which got its keys. Takes ownership of the bytes. */
  static ofWorker(keys: readonly HandedKey[]): Custody {
    return new Custody(new Map(keys.map(({ id, bytes }) => [id, new Secret(bytes)])), () => {});
  }

  /** Whether this process got its keys from another one. */
  get isWorker(): boolean {
    return this.#handed !== undefined;
  }

  /** The key that this worker got. */
  handed(id: string): RootKey | undefined {
    const secret = this.#handed?.get(id);
    return secret && localRootKey(Uint8Array.from(secret.bytes));
  }

  collect(collector: Collector): void {
    this.#collector = collector;
  }

  /** Takes a share that came from elsewhere than the socket. */
  async give(share: string): Promise<SocketAnswer> {
    if (this.#collector === undefined)
      throw new RootKeyUnavailable('the service is not ready for shares', 'try again in a second');
    return this.#collector.give(share);
  }

  /** The keys for a worker. The caller overwrites them after use. */
  copies(): readonly HandedKey[] {
    return this.#collector?.copies() ?? [];
  }

  /** Ends this process too when the service is sealed. */
  watch<T extends KeyProcess>(process: T): T {
    this.#processes.add(process);
    void process.ended.then(() => this.#processes.delete(process));
    return process;
  }

  /** SECURITY: D650: kills the workers and waits for their end, because only the end of a process surely frees what is in its memory. */
  async killWorkers(): Promise<void> {
    const ended = Promise.all([...this.#processes].map(({ ended }) => ended));
    for (const process of this.#processes) process.kill();
    await Promise.race([ended, sleep(KILL_MS, undefined, { ref: false })]);
  }

  /** Ends this process, after it was sealed and has answered. */
  end(): void {
    this.#exit();
  }
}
