import { shardIn } from '@countersign/contract';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/settings.ts';
import type { Store } from '../store/store.ts';
import { firstOrganizationId } from './first-organization.ts';

/**
 * The number of the shard in a database, which is in the id of its first organization. The setting counts only for a new database.
 * Throws ConfigError if both are given and differ.
 * INVARIANT: a database behind the address of another shard serves nothing.
 */
export async function openShard(config: Pick<Config, 'shard'>, store: Pick<Store, 'vault'>): Promise<number> {
  const first = await firstOrganizationId(store);
  if (first === undefined) return config.shard ?? 0;
  requireShard(config, first, 'This database is');
  return shardIn(first) ?? 0;
}

/** Throws ConfigError if the setting names another shard than the id of a first organization. */
export function requireShard({ shard }: Pick<Config, 'shard'>, firstId: string, what: string): void {
  const stored = shardIn(firstId) ?? 0;
  if (shard === undefined || shard === stored) return;
  throw new ConfigError(
    `${what} of shard ${stored}, but --shard is ${shard}.`,
    `The number of a shard never changes. Start with --shard ${stored}, or use another database and --data-dir for shard ${shard}.`,
  );
}
