import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BackupError } from './backup-error.ts';

/** The first bytes of a file that age encrypted, see https://age-encryption.org/v1 */
export const AGE_MAGIC = Buffer.from('age-encryption.org/v1\n');

/** Loaded on use: a server does without it. */
const loadAge = () => import('age-encryption');

type Bytes = ReadableStream<Uint8Array<ArrayBuffer>>;

/** Encrypts a stream to recipients (`age1…`). Throws BackupError for one that is not a recipient. */
export async function encryptTo(recipients: readonly string[], plain: Readable): Promise<Readable> {
  const { Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch (cause) {
      throw new BackupError(`${recipient} is not an age recipient.`, "A recipient starts with age1; 'age-keygen' creates one.", {
        cause,
      });
    }
  }
  const encrypted = await encrypter.encrypt(Readable.toWeb(plain) as Bytes);
  return Readable.fromWeb(encrypted as Parameters<typeof Readable.fromWeb>[0]);
}

/** Decrypts a stream with the identities (`AGE-SECRET-KEY-1…`) in a file, as `age-keygen` writes it. */
export async function decryptWith(identityFile: string, encrypted: Readable): Promise<Readable> {
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  for (const identity of await readIdentities(identityFile)) decrypter.addIdentity(identity);
  try {
    const plain = await decrypter.decrypt(Readable.toWeb(encrypted) as Bytes);
    return Readable.fromWeb(plain as Parameters<typeof Readable.fromWeb>[0]);
  } catch (cause) {
    throw new BackupError(
      `No identity in ${identityFile} decrypts the backup.`,
      'Pass the file with the identity of the recipient that the backup was encrypted to.',
      { cause },
    );
  }
}

/** Decrypts a short text with the identities in a file. */
export async function decryptBytes(identityFile: string, encrypted: Uint8Array): Promise<Uint8Array> {
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  for (const identity of await readIdentities(identityFile)) decrypter.addIdentity(identity);
  try {
    return await decrypter.decrypt(encrypted);
  } catch (cause) {
    throw new BackupError(
      `No identity in ${identityFile} decrypts the file.`,
      'Pass the file with the identity of the recipient.',
      {
        cause,
      },
    );
  }
}

async function readIdentities(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new BackupError(`${file} cannot be read: ${cause.code}.`, 'Check --identity.', { cause });
  });
  const identities = text.split(/\r?\n/).filter((line) => line.startsWith('AGE-SECRET-KEY-'));
  if (identities.length > 0) return identities;
  throw new BackupError(
    `${file} contains no age identity.`,
    "An identity starts with AGE-SECRET-KEY-; 'age-keygen' creates one.",
  );
}
