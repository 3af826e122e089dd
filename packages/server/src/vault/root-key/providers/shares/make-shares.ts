import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../../../../config/config-error.ts';
import { writeNewFile } from '../../../../store/durable-file.ts';
import { VaultError } from '../../../errors.ts';
import { pgpRecipient } from './gpg.ts';
import { split } from './shamir.ts';
import { checkOf, formatShare } from './share.ts';
import type { Sharing } from './shares-setting.ts';

/** Who gets a share, and how many of them open the key. */
export interface ShareHolders {
  readonly threshold: number;
  /** The age recipients (`age1…`) of the operators, or files with their PGP public keys. One share each. */
  readonly recipients: readonly string[];
  /** The folder for the encrypted shares. */
  readonly directory: string;
}

export interface ShareSettings {
  readonly shareThreshold?: number | string | undefined;
  readonly shareRecipients?: readonly string[] | string | undefined;
  readonly shareDirectory?: string | undefined;
}

/** Reads the settings for new shares. Throws ConfigError if they do not name enough different operators. */
export function readShareHolders({ shareThreshold, shareRecipients = [], shareDirectory }: ShareSettings): ShareHolders {
  const given = typeof shareRecipients === 'string' ? shareRecipients.split(',') : shareRecipients;
  const recipients = given.map((recipient) => recipient.trim()).filter((recipient) => recipient !== '');
  const threshold = Number(shareThreshold);
  const isValid = Number.isInteger(threshold) && threshold >= 2 && threshold <= recipients.length && recipients.length <= 255;
  if (!isValid || new Set(recipients).size !== recipients.length)
    throw new ConfigError(
      'The root key needs a threshold of 2 or more, and as many different recipients or more.',
      'Set --share-threshold, and --share-recipients to the age recipients or files with PGP keys of the operators, comma-separated.',
    );
  if (shareDirectory === undefined)
    throw new ConfigError(
      'There is no folder for the shares.',
      'Name one with --share-directory. It gets one encrypted file per operator.',
    );
  return { threshold, recipients, directory: shareDirectory };
}

/** Splits the key and writes one encrypted file per operator. Returns what is needed to verify the shares. */
export async function makeShares(
  rootKeyId: string,
  generation: number,
  key: Uint8Array,
  { threshold, recipients, directory }: ShareHolders,
): Promise<Sharing> {
  const encrypters = await encryptersFor(recipients);
  const folder = join(directory, `${rootKeyId}-${generation}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const checks: string[] = [];
  const shares = await split(Uint8Array.from(key), recipients.length, threshold);
  for (const [at, encrypter] of encrypters.entries()) {
    const bytes = shares[at] as Uint8Array;
    const share = { rootKeyId, generation, bytes };
    checks.push(checkOf(share));
    const encrypted = await encrypter.encrypt(`${formatShare(share)}\n`);
    bytes.fill(0);
    const path = join(folder, `share-${at + 1}.${encrypter.extension}`);
    if (!(await writeNewFile(path, encrypted)))
      throw new VaultError(`the share ${path} exists`, 'choose an empty folder for the shares');
  }
  return { generation, threshold, checks };
}

/** Encrypts to one operator. */
interface ShareEncrypter {
  /** Tells operators apart. */
  readonly key: string;
  readonly extension: 'age' | 'asc';
  encrypt(text: string): Promise<Uint8Array>;
}

/** Throws ConfigError for a text that is not a recipient, and for an operator who would get two shares. */
async function encryptersFor(recipients: readonly string[]): Promise<readonly ShareEncrypter[]> {
  const encrypters = await Promise.all(
    recipients.map((recipient) => (recipient.startsWith('age1') ? ageEncrypter(recipient) : pgpEncrypter(recipient))),
  );
  // SECURITY: D654: two files may contain the same PGP key.
  if (new Set(encrypters.map(({ key }) => key)).size !== encrypters.length)
    throw new ConfigError('Two recipients are the same key.', 'Name a different key for each operator.');
  return encrypters;
}

async function pgpEncrypter(path: string): Promise<ShareEncrypter> {
  const { fingerprint, encrypt } = await pgpRecipient(path);
  return { key: fingerprint, extension: 'asc', encrypt };
}

async function ageEncrypter(recipient: string): Promise<ShareEncrypter> {
  // Loaded on use: a server does without it.
  const age = await import('age-encryption');
  const encrypter = new age.Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    throw new ConfigError(`${recipient} is not an age recipient.`, "A recipient starts with age1; 'age-keygen' creates one.", {
      cause,
    });
  }
  return { key: recipient, extension: 'age', encrypt: (text) => encrypter.encrypt(text) };
}
