import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ConfigError } from '../../../config/config-error.ts';
import type { Config } from '../../../config/settings.ts';
import type { Store } from '../../../store/store.ts';
import { VaultError } from '../../errors.ts';
import { encodeFields } from '../../integrity/keyed-hash.ts';
import type { RootKey, RootKeyProvider } from '../root-key.ts';
import type { ProviderEntry } from './provider.ts';

/** The ids of the two keys. Not secret: the id of the combination is a hash of them. */
const parts = z.strictObject({ version: z.literal(1), parts: z.tuple([z.string(), z.string()]) });

const settingName = (rootKeyId: string) => `vault.combined.${rootKeyId}`;

const combinedId = (first: string, second: string) =>
  createHash('sha256')
    .update(encodeFields('countersign/root-key-id/combined/v1', first, second))
    .digest('hex')
    .slice(0, 16);

/** Two root keys that must both open: the second wraps what the first wrapped. */
function combine(first: RootKey, second: RootKey): RootKey {
  return Object.freeze<RootKey>({
    id: combinedId(first.id, second.id),
    ...((first.isRemote || second.isRemote) && { isRemote: true }),
    wrap: async (key, associatedData) => second.wrap(await first.wrap(key, associatedData), associatedData),
    async unwrap(wrapped, associatedData) {
      const inner = await second.unwrap(wrapped, associatedData);
      if (inner === undefined) return undefined;
      return first.unwrap(inner.bytes, associatedData).finally(() => inner.wipe());
    },
    onSealed(listener) {
      for (const key of [first, second]) key.onSealed?.(listener);
    },
    wipe() {
      first.wipe();
      second.wipe();
    },
  });
}

/** A provider whose keys need both others. */
export function combinedRootKey(store: Store['vault'], first: RootKeyProvider, second: RootKeyProvider): RootKeyProvider {
  async function partsOf(id: string): Promise<readonly [string, string] | undefined> {
    const setting = await store.setting(settingName(id));
    if (setting === undefined) return undefined;
    const found = parts.safeParse(toJson(setting.body));
    if (found.success && combinedId(...found.data.parts) === id) return found.data.parts;
    throw new VaultError(`the setting ${settingName(id)} is damaged`, 'restore it from a backup');
  }

  type Find = (provider: RootKeyProvider, id: string) => Promise<RootKey | undefined>;
  async function findBoth(id: string, find: Find): Promise<RootKey | undefined> {
    const ids = await partsOf(id);
    const one = ids && (await find(first, ids[0]));
    if (ids === undefined || one === undefined) return undefined;
    const other = await find(second, ids[1]).catch((error: unknown) => {
      one.wipe();
      throw error;
    });
    if (other !== undefined) return combine(one, other);
    one.wipe();
    return undefined;
  }

  return Object.freeze<RootKeyProvider>({
    source: `${first.source} together with ${second.source}`,
    // The ids of the parts do not tell which combinations were made.
    ids: async () => [],
    find: (id) => findBoth(id, (provider, partId) => provider.find(partId)),
    async create() {
      const [one, other] = [await first.create(), await second.create()];
      const key = combine(one, other);
      const content: z.input<typeof parts> = { version: 1, parts: [one.id, other.id] };
      await store.settingOnce({ name: settingName(key.id), body: JSON.stringify(content) });
      return key;
    },
    async activate() {
      for (const provider of [first, second]) await provider.activate?.();
    },
    findActive: (id) => findBoth(id, (provider, partId) => (provider.findActive ?? provider.find)(partId)),
    async retire(rootKeyId) {
      const ids = await partsOf(rootKeyId);
      if (ids === undefined) return;
      await first.retire?.(ids[0]);
      await second.retire?.(ids[1]);
    },
  });
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema rejects undefined.
    return undefined;
  }
}

/** Two providers that must both open. `table` has the other providers. */
export function combinedProvider(table: Readonly<Record<string, ProviderEntry>>): ProviderEntry {
  function entries(names: readonly string[]): readonly [ProviderEntry, ProviderEntry] {
    const [first, second, ...more] = names.map((name) => (Object.hasOwn(table, name) ? table[name] : undefined));
    if (first === undefined || second === undefined || more.length > 0 || first === second)
      throw new ConfigError(
        `--root-key-providers must be two different providers (given: ${names.join(',')})`,
        `Choose two of ${Object.keys(table).join(', ')}.`,
      );
    return [first, second];
  }
  const configured = ({ rootKeyProviders = [] }: Config) => entries(rootKeyProviders);

  return {
    isConfigured: ({ rootKeyProviders }) => rootKeyProviders !== undefined,
    open(config, store, custody) {
      const [first, second] = configured(config);
      return combinedRootKey(store, first.open(config, store, custody), second.open(config, store, custody));
    },
    rotate(config, store, settings) {
      const [first, second] = entries((settings.rootKeyProviders ?? '').split(',').map((name) => name.trim()));
      return combinedRootKey(store, first.rotate(config, store, settings), second.rotate(config, store, settings));
    },
    check(config) {
      for (const entry of configured(config)) entry.check(config);
    },
    afterRotation:
      'Set --root-key-providers and the settings of both providers to those of the new keys before the next startup.',
  };
}
