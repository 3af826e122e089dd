import { z } from 'zod';
import type { HighWaterMark } from '../../store/high-water-mark.ts';
import type { Store } from '../../store/store.ts';
import { VaultError } from '../errors.ts';

/** One setting per replaced root key. Root key ids are never reused, so a finished rotation may leave its setting behind. */
const settingName = (fromId: string) => `vault.rotation.${fromId}`;

const body = z.strictObject({ version: z.literal(1), to: z.string() });

/** The id of the root key that replaces `fromId`, once a rotation has begun. The first value wins: `raise` returns it. */
export function rotationTarget(store: Store['vault'], fromId: string): HighWaterMark<string> {
  return {
    async read() {
      const setting = await store.setting(settingName(fromId));
      return setting && parse(setting.body, fromId);
    },
    async raise(toId) {
      const content: z.input<typeof body> = { version: 1, to: toId };
      const stored = await store.settingOnce({ name: settingName(fromId), body: JSON.stringify(content) });
      return parse(stored.body, fromId);
    },
  };
}

function parse(text: string, fromId: string): string {
  try {
    return body.parse(JSON.parse(text)).to;
  } catch (cause) {
    throw new VaultError(`the setting ${settingName(fromId)} is damaged`, 'restore it from a backup', { cause });
  }
}
