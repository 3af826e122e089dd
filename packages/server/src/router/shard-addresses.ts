import { MAX_SHARD } from '@countersign/contract';
import { ConfigError } from '../config/config-error.ts';

/** The address of each shard, by its number. */
export type ShardAddresses = ReadonlyMap<number, URL>;

const FIX = 'Pass each shard once, such as --shard 0=http://10.0.0.1:8787 --shard 1=http://10.0.0.2:8787.';

/** Splits `<number>=<value>`. Throws ConfigError for another form, a wrong number or a repeated one. */
export function readShards<T>(items: readonly string[], fix: string, parse: (value: string) => T): ReadonlyMap<number, T> {
  const shards = new Map<number, T>();
  for (const item of items) {
    const [, digits = '', value = ''] = /^(\d{1,5})=(.+)$/s.exec(item) ?? [];
    const shard = Number(digits);
    if (value === '' || shard > MAX_SHARD)
      throw new ConfigError(`--shard must be a number from 0 to ${MAX_SHARD}, = and a value.`, fix);
    if (shards.has(shard)) throw new ConfigError(`--shard names shard ${shard} twice.`, fix);
    shards.set(shard, parse(value));
  }
  return shards;
}

/** Reads `<number>=<address>`. Shard 0 is required: it answers what names no organization. */
export function readShardAddresses(items: readonly string[]): ShardAddresses {
  const addresses = readShards(items, FIX, (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url?.pathname === '/' && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
    if (url === undefined || !isPlain || !['http:', 'https:'].includes(url.protocol))
      throw new ConfigError('The address of a shard must be http:// or https:// with a host and a port, without a path.', FIX);
    return url;
  });
  if (!addresses.has(0)) throw new ConfigError('The address of shard 0 is missing.', FIX);
  return addresses;
}
