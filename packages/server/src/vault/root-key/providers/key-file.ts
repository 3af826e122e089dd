import { randomFillSync } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { privateFileObjection } from '../../../config/private-file.ts';
import { writeNewFile } from '../../../store/durable-file.ts';
import { VaultError } from '../../errors.ts';
import { localRootKey, ROOT_KEY_BYTES, type RootKey } from '../root-key.ts';

const HEX_DIGITS = ROOT_KEY_BYTES * 2;

/** The reason why the service, running as user `self`, must not use this file, with the fix. Undefined if the file is fine. */
export function keyFileObjection(
  path: string,
  stats: Pick<Stats, 'isFile' | 'uid' | 'mode'>,
  self = process.geteuid?.(),
): VaultError | undefined {
  if (!stats.isFile()) return new VaultError(`the root key ${path} is not a regular file`, 'put the root key file itself there');
  const objection = privateFileObjection(path, stats, 'rotate the root key', self);
  return objection && new VaultError(`the root key ${path} ${objection.problem}`, objection.fix);
}

/** Reads a root key file: 64 hex digits, then at most one line end. Undefined if the file is missing; throws VaultError if it is unusable. */
export async function readKeyFile(path: string): Promise<RootKey | undefined> {
  const content = Buffer.alloc(HEX_DIGITS + 3);
  const length = await readWhole(path, content);
  if (length === undefined) return undefined;
  try {
    const end = content.subarray(HEX_DIGITS, length).toString('latin1');
    const key = decodeHex(content.subarray(0, HEX_DIGITS));
    if (key === undefined || length < HEX_DIGITS || !['', '\n', '\r\n'].includes(end)) {
      throw new VaultError(
        `the root key ${path} must contain exactly ${HEX_DIGITS} hex digits`,
        'restore the root key file from your backup',
      );
    }
    return localRootKey(key);
  } finally {
    content.fill(0);
  }
}

/** Makes a root key file with 32 random bytes, or reads the existing one. */
export async function createKeyFile(path: string): Promise<RootKey> {
  const bytes = randomFillSync(new Uint8Array(ROOT_KEY_BYTES));
  const content = encodeHex(bytes);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (await writeNewFile(path, content)) return localRootKey(bytes);
  } catch (cause) {
    bytes.fill(0);
    throw new VaultError(
      `the root key ${path} cannot be written: ${reason(cause)}`,
      'make its directory writable for this user',
      { cause },
    );
  } finally {
    content.fill(0);
  }
  bytes.fill(0);
  const existing = await readKeyFile(path);
  if (existing === undefined) throw new VaultError(`the root key ${path} vanished while it was read`, 'start again');
  return existing;
}

/** The number of bytes read into `content`; undefined if there is no such file. */
async function readWhole(path: string, content: Uint8Array): Promise<number | undefined> {
  try {
    // Non-blocking: a pipe in place of the file must not block the start.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      // SECURITY: check the opened file, so that it cannot be replaced between check and read.
      const objection = keyFileObjection(path, await file.stat());
      if (objection !== undefined) throw objection;
      let length = 0;
      while (length < content.length) {
        const { bytesRead } = await file.read(content, length, content.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return length;
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof VaultError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new VaultError(
      `the root key ${path} cannot be read: ${reason(cause)}`,
      'make the file readable for the user that runs the service',
      { cause },
    );
  }
}

/** The hex digits and a line end, as bytes: JavaScript cannot wipe a string. */
function encodeHex(bytes: Uint8Array): Uint8Array {
  const digits = '0123456789abcdef';
  const content = new Uint8Array(2 * bytes.length + 1).fill(0x0a);
  for (const [i, byte] of bytes.entries()) {
    content[2 * i] = digits.charCodeAt(byte >> 4);
    content[2 * i + 1] = digits.charCodeAt(byte & 15);
  }
  return content;
}

function decodeHex(digits: Uint8Array): Uint8Array | undefined {
  const bytes = new Uint8Array(ROOT_KEY_BYTES);
  for (let i = 0; i < bytes.length; i++) {
    const [high, low] = [hexDigit(digits[2 * i] as number), hexDigit(digits[2 * i + 1] as number)];
    if (high < 0 || low < 0) return undefined;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function reason(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
