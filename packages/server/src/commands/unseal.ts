import { readFile } from 'node:fs/promises';
import { OperatorError } from '@countersign/contract';
import { AGE_MAGIC, decryptBytes } from '../backup/encryption.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../store/open-store.ts';
import { VaultError } from '../vault/errors.ts';
import { askAtSocket, type SealStatus } from '../vault/root-key/providers/shares/unseal-socket.ts';
import { openShares } from '../vault/root-key/providers/shares.ts';
import { storedIntegrityKey } from '../vault/root-key/unlock.ts';

/** Gives one share to the process that waits for it. Returns how many it has now. Throws OperatorError if it refuses the share. */
export async function giveShare(config: Config, share: string): Promise<readonly SealStatus[]> {
  return ask(config, { share: share.trim() });
}

/** Seals the root keys of the process: it wipes them immediately. */
export async function sealRootKeys(config: Config): Promise<readonly SealStatus[]> {
  return ask(config, { seal: true });
}

async function ask({ unsealSocket }: Config, request: Parameters<typeof askAtSocket>[1]): Promise<readonly SealStatus[]> {
  if (unsealSocket === undefined) throw new ConfigError('No socket is named.', 'Name that of the service with --unseal-socket.');
  const answer = await askAtSocket(unsealSocket, request);
  if ('keys' in answer) return answer.keys;
  throw new ShareRefused(`The share was refused: ${answer.error}.`, 'Give another share.');
}

class ShareRefused extends OperatorError {
  override readonly name = 'ShareRefused';
}

/** Reads a share from a file, which may be encrypted with age to the identity in another file. */
export async function readShareFile(path: string, identityFile: string | undefined): Promise<string> {
  const content = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be read: ${cause.code}.`, 'Check the path.', { cause });
  });
  if (!content.subarray(0, AGE_MAGIC.length).equals(AGE_MAGIC)) return content.toString('utf8');
  if (identityFile === undefined)
    throw new ConfigError(`${path} is encrypted.`, 'Pass the file with your age identity as --identity.');
  return Buffer.from(await decryptBytes(identityFile, content)).toString('utf8');
}

/** Shares the root key of the installation again, and changes no other row. Waits for shares first. */
export async function reshareRootKey(
  config: Config,
): Promise<{ readonly rootKeyId: string; readonly threshold: number; readonly shares: number }> {
  if (config.unsealSocket === undefined)
    throw new ConfigError('The root key is not in shares.', 'Name the socket for the present shares with --unseal-socket.');
  const store = await openStore(config, { migrate: false });
  try {
    const stored = await storedIntegrityKey(store.vault);
    if (stored === undefined) throw new VaultError('this database has no root key yet', 'start the service once');
    const { threshold, checks } = await openShares(config, store.vault).reshare(stored.rootKeyId);
    return { rootKeyId: stored.rootKeyId, threshold, shares: checks.length };
  } finally {
    await store.close();
  }
}
