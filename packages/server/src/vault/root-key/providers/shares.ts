import { randomFillSync } from 'node:crypto';
import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../../config/logger.ts';
import type { Store } from '../../../store/store.ts';
import { RootKeyUnavailable, VaultError } from '../../errors.ts';
import { localRootKey, ROOT_KEY_BYTES, type RootKey, type RootKeyProvider } from '../root-key.ts';
import type { ProviderEntry } from './provider.ts';
import { Ceremony, sealed } from './shares/ceremony.ts';
import type { Custody } from './shares/custody.ts';
import { makeShares, readShareHolders, type ShareHolders } from './shares/make-shares.ts';
import { parseShare } from './shares/share.ts';
import { lastSharing, type Sharing, storeSharing } from './shares/shares-setting.ts';
import { listenForShares, type SocketAnswer } from './shares/unseal-socket.ts';

export interface SharesOptions {
  readonly store: Store['vault'];
  /** Where operators give their shares. */
  readonly socket: string;
  /** Who gets shares of a new key. Throws ConfigError if the settings do not say. */
  holders(): ShareHolders;
  /** Called when the process waits for shares. */
  onSealed(message: string): void;
  /** How long to wait for shares. Without a limit by default. */
  readonly waitMs?: number;
  /** The processes of a service. The key then stays until it is sealed or the process ends. */
  readonly custody?: Custody | undefined;
}

const RECENT_MS = 1_000;

/** A root key in shares. */
export interface SharedRootKeys extends RootKeyProvider {
  /** Shares the key again, among others or with another threshold. Waits for shares first. */
  reshare(rootKeyId: string): Promise<Sharing>;
}

/**
 * A root key that operators hold in shares (Shamir). A process starts sealed, and waits at its socket until enough shares were given.
 * The key is then in its memory until it is sealed again.
 */
export function sharesRootKey(options: SharesOptions): SharedRootKeys {
  const { store, socket, holders, onSealed, waitMs, custody } = options;
  const ceremonies = new Map<string, Ceremony>();
  let server: Promise<Server> | undefined;
  custody?.collect({
    give: (share) => answer({ share }),
    copies: () =>
      [...ceremonies].flatMap(([id, ceremony]) => {
        const bytes = ceremony.copy();
        return bytes === undefined ? [] : [{ id, bytes }];
      }),
  });

  async function answer(request: Parameters<Parameters<typeof listenForShares>[1]>[0]): Promise<SocketAnswer> {
    if ('seal' in request) {
      for (const ceremony of ceremonies.values()) ceremony.seal();
      await custody?.killWorkers();
    }
    if ('share' in request) {
      const share = parseShare(request.share);
      if (share === undefined) throw new RootKeyUnavailable('the text is not a share', 'give a share');
      const ceremony = ceremonies.get(share.rootKeyId);
      if (ceremony === undefined)
        throw new RootKeyUnavailable(`the share is of root key ${share.rootKeyId}`, 'give another share');
      await ceremony.add(share);
    }
    return { keys: [...ceremonies.values()].map((ceremony) => ceremony.status()) };
  }

  function close(rootKeyId: string): void {
    ceremonies.get(rootKeyId)?.seal();
    ceremonies.delete(rootKeyId);
    if (ceremonies.size > 0) return;
    // Nothing is left to unseal. Failing to listen was reported to the caller of `find`.
    server?.then((listening) => listening.close()).catch(() => {});
    server = undefined;
  }

  async function open(rootKeyId: string): Promise<Ceremony | undefined> {
    const sharing = await lastSharing(store, rootKeyId);
    if (sharing === undefined) return undefined;
    const known = ceremonies.get(rootKeyId);
    const ceremony =
      known ??
      new Ceremony(
        rootKeyId,
        recently(async () => (await lastSharing(store, rootKeyId)) ?? sharing),
      );
    ceremonies.set(rootKeyId, ceremony);
    try {
      server ??= listenForShares(socket, answer, custody && (() => custody.end()));
      await server;
      if (ceremony.status().sealed)
        onSealed(
          `root key ${rootKeyId} is sealed: give ${sharing.threshold} shares with 'countersign unseal --unseal-socket ${socket}'`,
        );
      if (waitMs === undefined) await ceremony.opened;
      else await Promise.race([ceremony.opened, expire(waitMs, ceremony)]);
      return ceremony;
    } catch (error) {
      close(rootKeyId);
      throw error;
    }
  }

  async function share(rootKeyId: string, generation: number, bytes: Uint8Array): Promise<Sharing> {
    const sharing = await makeShares(rootKeyId, generation, bytes, holders());
    await storeSharing(store, rootKeyId, sharing);
    return sharing;
  }

  return Object.freeze<SharedRootKeys>({
    source: `shares given at ${socket}`,
    // Which keys they give is known after they were given.
    ids: async () => [],
    async find(id) {
      if (custody?.isWorker) return custody.handed(id);
      const ceremony = await open(id);
      return ceremony?.rootKey(() => custody === undefined && close(id));
    },
    async create(): Promise<RootKey> {
      const bytes = randomFillSync(new Uint8Array(ROOT_KEY_BYTES));
      const copy = Uint8Array.from(bytes);
      const key = localRootKey(bytes);
      try {
        await share(key.id, 1, copy);
        return key;
      } finally {
        copy.fill(0);
      }
    },
    async reshare(rootKeyId) {
      holders();
      const ceremony = await open(rootKeyId);
      const last = await lastSharing(store, rootKeyId);
      if (ceremony === undefined || last === undefined)
        throw new VaultError(`root key ${rootKeyId} is not in shares`, "move to shares with 'countersign vault rotate'");
      try {
        return await ceremony.use((bytes) => share(rootKeyId, last.generation + 1, bytes));
      } finally {
        close(rootKeyId);
      }
    },
  });
}

/** Reads at most once in a second: strangers can cause it. */
function recently<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly value: T } | undefined;
  return async () => {
    if (last === undefined || performance.now() - last.atMs > RECENT_MS) last = { atMs: performance.now(), value: await read() };
    return last.value;
  };
}

async function expire(waitMs: number, ceremony: Ceremony): Promise<never> {
  await sleep(waitMs, undefined, { ref: false });
  throw sealed(ceremony.status());
}

/** Shares among operators. */
export const sharesProvider: ProviderEntry = {
  isConfigured: ({ unsealSocket }) => unsealSocket !== undefined,
  open: openShares,
  rotate: (config, store, settings) =>
    sharesRootKey({
      store,
      socket: settings.unsealSocket ?? '',
      holders: () => readShareHolders(settings),
      onSealed: (message) => createLogger(config.logLevel).warn(message),
    }),
  check: () => {},
  afterRotation: 'Start the service with --unseal-socket, and give the operators their shares. Delete the files afterwards.',
};

/** The provider of a configuration. */
export function openShares(
  config: Parameters<ProviderEntry['open']>[0],
  store: Store['vault'],
  custody?: Custody,
): SharedRootKeys {
  return sharesRootKey({
    store,
    socket: config.unsealSocket ?? '',
    holders: () => readShareHolders(config),
    onSealed: (message) => createLogger(config.logLevel).warn(message),
    custody,
  });
}
