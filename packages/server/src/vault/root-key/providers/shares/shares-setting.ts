import { z } from 'zod';
import type { Store } from '../../../../store/store.ts';
import { VaultError } from '../../../errors.ts';

const MAX_GENERATIONS = 9_999;

const body = z.strictObject({
  version: z.literal(1),
  threshold: z.int().min(2).max(255),
  /** One hash per share. */
  checks: z.array(z.hex().length(64)).min(2).max(255),
});

/** How a root key was shared last. Not secret. */
export interface Sharing {
  readonly generation: number;
  readonly threshold: number;
  readonly checks: readonly string[];
}

const settingName = (rootKeyId: string, generation: number) => `vault.shares.${rootKeyId}.${generation}`;

/** The last sharing of the root key. Undefined if it was never shared. */
export async function lastSharing(store: Store['vault'], rootKeyId: string): Promise<Sharing | undefined> {
  let last: Sharing | undefined;
  for (let generation = 1; generation <= MAX_GENERATIONS; generation++) {
    const setting = await store.setting(settingName(rootKeyId, generation));
    if (setting === undefined) break;
    try {
      const { threshold, checks } = body.parse(JSON.parse(setting.body));
      last = { generation, threshold, checks };
    } catch (cause) {
      throw new VaultError(`the setting ${setting.name} is damaged`, 'restore it from a backup', { cause });
    }
  }
  return last;
}

/** Stores a sharing. Throws VaultError if another process shared the key at the same time. */
export async function storeSharing(store: Store['vault'], rootKeyId: string, sharing: Sharing): Promise<void> {
  const { generation, threshold, checks } = sharing;
  const content: z.input<typeof body> = { version: 1, threshold, checks: [...checks] };
  const text = JSON.stringify(content);
  const stored = await store.settingOnce({ name: settingName(rootKeyId, generation), body: text });
  if (stored.body !== text) throw new VaultError('the root key was shared by another process at the same time', 'share it again');
}
