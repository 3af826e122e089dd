import { z } from 'zod';
import type { HighWaterMark } from '../../store/high-water-mark.ts';
import { rotationSetting } from '../../store/sealed-bytes.ts';
import type { Store } from '../../store/store.ts';
import { VaultError } from '../errors.ts';

const body = z.strictObject({ version: z.literal(1), to: z.string() });

/**
 * The id of the root key that replaces `fromId`, once a rotation has begun. The first value wins: `raise` returns it. From then on no commit
 * stores a data key that `fromId` wrapped.
 * There is one setting per replaced root key. Root key ids are never reused, so a finished rotation may leave its setting behind.
 */
export function rotationTarget(store: Store['vault'], fromId: string): HighWaterMark<string> {
  const name = rotationSetting(fromId);
  return {
    async read() {
      const setting = await store.setting(name);
      return setting && parse(body, name, setting.body).to;
    },
    async raise(toId) {
      const content: z.input<typeof body> = { version: 1, to: toId };
      const stored = await store.settingAfterCommits({ name, body: JSON.stringify(content) });
      return parse(body, name, stored.body).to;
    },
  };
}

const NEXT = 'vault.next-root-key';
const nextBody = z.strictObject({ version: z.literal(1), from: z.string(), to: z.string() });

/** A rotation that waits until every serving process has the next root key. It may have ended since. */
export type NextRootKey = Omit<z.infer<typeof nextBody>, 'version'>;

export async function readNext(store: Store['vault']): Promise<NextRootKey | undefined> {
  const setting = await store.setting(NEXT);
  return setting && parse(nextBody, NEXT, setting.body);
}

/** Asks every serving process to load the next root key. Throws VaultError if another process did so at the same time. */
export async function announceNext(store: Store['vault'], { from, to }: NextRootKey): Promise<void> {
  const before = await store.setting(NEXT);
  const content: z.input<typeof nextBody> = { version: 1, from, to };
  if (await store.replaceSetting({ name: NEXT, body: JSON.stringify(content) }, before?.body)) return;
  throw new VaultError('another process has announced another root key', 'run the rotation again');
}

/** Serving processes hold this lock shared until they know what replaces the root key. */
export const rootKeyLock = (rootKeyId: string) => `root-key-${rootKeyId}`;

function parse<T>(schema: z.ZodType<T>, name: string, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new VaultError(`the setting ${name} is damaged`, 'restore it from a backup', { cause });
  }
}
