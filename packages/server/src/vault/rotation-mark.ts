import { z } from 'zod';
import type { Store } from '../store/store.ts';
import { VaultError } from './errors.ts';

/** One setting per replaced root key. Root key ids are never reused, so a finished rotation may leave its mark behind. */
const settingName = (fromId: string) => `vault.rotation.${fromId}`;

const body = z.strictObject({ version: z.literal(1), to: z.string() });

function parse(text: string, fromId: string): string {
  try {
    return body.parse(JSON.parse(text)).to;
  } catch (cause) {
    throw new VaultError(`the setting ${settingName(fromId)} is damaged`, 'restore it from a backup', { cause });
  }
}

/** The target of the rotation away from `fromId`, if one has begun. */
export async function rotationTarget(store: Store['vault'], fromId: string): Promise<string | undefined> {
  const setting = await store.setting(settingName(fromId));
  return setting && parse(setting.body, fromId);
}

/** Marks the rotation as begun. The first mark wins: returns the target that it names. */
export async function markRotation(store: Store['vault'], fromId: string, toId: string): Promise<string> {
  const mark: z.input<typeof body> = { version: 1, to: toId };
  const stored = await store.settingOnce({ name: settingName(fromId), body: JSON.stringify(mark) });
  return parse(stored.body, fromId);
}
