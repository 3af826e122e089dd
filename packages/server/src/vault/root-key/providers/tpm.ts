import { randomFillSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { requireFile } from '../../../config/paths.ts';
import { writeNewFile } from '../../../store/durable-file.ts';
import { VaultError } from '../../errors.ts';
import { localRootKey, ROOT_KEY_BYTES, type RootKey } from '../root-key.ts';
import { fileRootKey, type KeyFileFormat, nextFileRootKey } from './file.ts';
import type { ProviderEntry } from './provider.ts';
import { type SealedByTpm, Tpm } from './tpm/tpm2-tools.ts';

const content = z.strictObject({
  version: z.literal(1),
  public: z.base64(),
  private: z.base64(),
  pcrs: z.string().optional(),
});

/** A file with a root key that the TPM of this machine sealed. A copy of the file opens nothing on another machine. */
export function tpmFormat(pcrs: string | undefined, tpm = new Tpm()): KeyFileFormat {
  async function read(path: string): Promise<RootKey | undefined> {
    const sealed = await readSealed(path);
    if (sealed === undefined) return undefined;
    const bytes = await tpm.unseal(sealed);
    if (bytes.length !== ROOT_KEY_BYTES) throw damaged(path);
    return localRootKey(bytes);
  }

  return {
    name: 'TPM and file',
    read,
    async create(path) {
      const existing = await read(path);
      if (existing !== undefined) return existing;
      const bytes = randomFillSync(new Uint8Array(ROOT_KEY_BYTES));
      const sealed = await tpm.seal(bytes, pcrs);
      const text = {
        version: 1,
        public: sealed.public.toString('base64'),
        private: sealed.private.toString('base64'),
        pcrs: sealed.pcrs,
      };
      await writeNewFile(path, Buffer.from(`${JSON.stringify(text)}\n`));
      bytes.fill(0);
      // INVARIANT: a key is used only after the TPM opened it from the file. Another process may have written the file first.
      const stored = await read(path);
      if (stored === undefined) throw new VaultError(`the sealed root key ${path} vanished while it was read`, 'start again');
      return stored;
    },
  };
}

async function readSealed(path: string): Promise<SealedByTpm | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new VaultError(
      `the sealed root key ${path} cannot be read`,
      'make the file readable for the user that runs the service',
      {
        cause,
      },
    );
  }
  try {
    const { public: publicPart, private: privatePart, pcrs } = content.parse(JSON.parse(text));
    const parts = { public: Buffer.from(publicPart, 'base64'), private: Buffer.from(privatePart, 'base64') };
    return { ...parts, ...(pcrs !== undefined && { pcrs }) };
  } catch {
    throw damaged(path);
  }
}

function damaged(path: string): VaultError {
  return new VaultError(`the sealed root key ${path} is damaged`, 'restore the file from your backup');
}

/** A key that the TPM of this machine sealed. */
export const tpmProvider: ProviderEntry = {
  isConfigured: ({ tpmKeyFile }) => tpmKeyFile !== undefined,
  open: ({ tpmKeyFile = '', tpmPcrs }) => fileRootKey(tpmKeyFile, tpmFormat(tpmPcrs)),
  rotate: (config, _store, { tpmKeyFile = '', tpmPcrs }) =>
    tpmKeyFile === config.tpmKeyFile
      ? nextFileRootKey(tpmKeyFile, tpmFormat(tpmPcrs))
      : fileRootKey(tpmKeyFile, tpmFormat(tpmPcrs)),
  check: ({ tpmKeyFile = '' }) => requireFile(tpmKeyFile, 'The sealed root key'),
  afterRotation:
    'Set --tpm-key-file to the new file before the next startup. Without this machine and its TPM, nothing in the vault can be read.',
};
