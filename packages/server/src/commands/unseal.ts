import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@countersign/contract';
import { AGE_MAGIC, decryptBytes } from '../backup/encryption.ts';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../store/open-store.ts';
import { VaultError } from '../vault/errors.ts';
import { gpgDecrypt, PGP_MAGIC } from '../vault/root-key/providers/shares/gpg.ts';
import { giveOverHttps } from '../vault/root-key/providers/shares/unseal-https.ts';
import { askAtSocket, type SealStatus, type SocketAnswer } from '../vault/root-key/providers/shares/unseal-socket.ts';
import { openShares } from '../vault/root-key/providers/shares.ts';
import { storedIntegrityKey } from '../vault/root-key/unlock.ts';

/**
 * Gives one share to the process that waits for it, at the socket or at an https address. Returns how many it has now. Throws
 * OperatorError if it refuses the share.
 */
export async function giveShare(config: Config, share: string, url?: string): Promise<readonly SealStatus[]> {
  return url === undefined ? ask(config, { share: share.trim() }) : accepted(await giveOverHttps(url, share.trim()));
}

/** How long a service may take to wait for shares again. */
const SEALED_MS = 10_000;
const RETRY_MS = 50;

/** Seals the root keys of the process. A service ends its processes with them. Returns when a new one waits for shares. */
export async function sealRootKeys(config: Config): Promise<readonly SealStatus[]> {
  const keys = await ask(config, { seal: true });
  const deadline = performance.now() + SEALED_MS;
  while (performance.now() < deadline) {
    const isBack = await ask(config, { status: true }).then(Boolean, () => false);
    if (isBack) break;
    await sleep(RETRY_MS);
  }
  return keys;
}

async function ask({ unsealSocket }: Config, request: Parameters<typeof askAtSocket>[1]): Promise<readonly SealStatus[]> {
  if (unsealSocket === undefined) throw new ConfigError('No socket is named.', 'Name that of the service with --unseal-socket.');
  return accepted(await askAtSocket(unsealSocket, request));
}

function accepted(answer: SocketAnswer): readonly SealStatus[] {
  if ('keys' in answer) return answer.keys;
  throw new ShareRefused(`The share was refused: ${answer.error}.`, 'Give another share.');
}

class ShareRefused extends OperatorError {
  override readonly name = 'ShareRefused';
}

/** Reads a share from a file, which may be encrypted with PGP, or with age to the identity in another file. */
export async function readShareFile(path: string, identityFile: string | undefined): Promise<string> {
  const content = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be read: ${cause.code}.`, 'Check the path.', { cause });
  });
  if (content.subarray(0, PGP_MAGIC.length).equals(PGP_MAGIC)) return gpgDecrypt(path);
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
