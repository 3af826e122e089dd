import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { paths } from '../config/paths.ts';
import type { Config } from '../config/settings.ts';
import { replaceFile, writeNewFile } from '../store/durable-file.ts';
import { readIfPresent, renameAside } from '../store/high-water-mark.ts';
import { macsEqual } from '../vault/integrity/integrity.ts';
import type { Integrity } from '../vault/vault.ts';
import { machineFileUnreadable, otherMachine } from './epoch/epoch-error.ts';

type MachineKind = Exclude<Config['bindMachine'], 'off'>;

/** How to read the identity of this machine, by kind. */
export type MachineReaders = Readonly<Record<MachineKind, () => Promise<string>>>;

export const machineReaders: MachineReaders = { 'machine-id': readMachineId, tpm: readEndorsementKey };

const shape = z.strictObject({ version: z.literal(1), how: z.enum(['machine-id', 'tpm']), mac: z.base64() });

type MachineFile = z.infer<typeof shape>;

/**
 * Throws EpochError if the data directory is bound to another machine. A directory that is not bound is bound to this one, if `bindMachine`
 * says how.
 * SECURITY: D264: it stops a copy that is started by mistake, not a holder of the root key. A bound directory stays bound even if the
 * setting is off, because the copy may be started without it.
 */
export async function openMachineBinding(config: Config, integrity: Integrity, readers = machineReaders): Promise<void> {
  const { bindMachine } = config;
  const path = paths.machineFile(config);
  const bound = await checkMachine(config, integrity, readers);
  if (bindMachine === 'off' || bound === bindMachine) return;
  const content = Buffer.from(`${JSON.stringify(await bindingTo(bindMachine, integrity, readers))}\n`);
  if (bound !== undefined) await replaceFile(path, content);
  // Another process may have bound it at the same time.
  else if (!(await writeNewFile(path, content))) await checkMachine(config, integrity, readers);
}

/** Throws EpochError unless the data directory is bound to this machine or not bound. Returns how it is bound. Changes nothing. */
export async function checkMachine(
  config: Config,
  integrity: Integrity,
  readers = machineReaders,
): Promise<MachineKind | undefined> {
  const path = paths.machineFile(config);
  const text = await readIfPresent(path);
  if (text === undefined) return undefined;
  const { how, mac } = parse(path, text);
  // A machine without such an identity is another machine.
  const id = await readers[how]().catch(() => undefined);
  if (id === undefined || !macsEqual(integrity.machine(how, id), Buffer.from(mac, 'base64'))) throw otherMachine(path, how);
  return how;
}

/** Releases the data directory: the next startup binds it again. Preserves the file as evidence. */
export const setMachineAside = (config: Config, nowMs: number): Promise<string | undefined> =>
  renameAside(paths.machineFile(config), nowMs);

async function bindingTo(how: MachineKind, integrity: Integrity, readers: MachineReaders): Promise<MachineFile> {
  let id: string;
  try {
    id = await readers[how]();
  } catch (cause) {
    throw new ConfigError(
      `This machine has no identity that --bind-machine ${how} could use: ${(cause as Error).message}.`,
      how === 'tpm'
        ? 'Install tpm2-tools, and give this user access to the TPM. Or choose --bind-machine machine-id.'
        : 'Create /etc/machine-id with systemd-machine-id-setup. Or choose --bind-machine off.',
      { cause },
    );
  }
  return { version: 1, how, mac: Buffer.from(integrity.machine(how, id)).toString('base64') };
}

function parse(path: string, text: string): MachineFile {
  try {
    return shape.parse(JSON.parse(text));
  } catch (cause) {
    throw machineFileUnreadable(path, { cause });
  }
}

/** machine-id(5): 32 hex digits. The file is empty or has another text in an image that was not started yet. */
async function readMachineId(): Promise<string> {
  const id = (await readFile('/etc/machine-id', 'utf8')).trim();
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Error('/etc/machine-id does not contain 32 hex digits');
  return id;
}

/** The SHA-256 of the public part of the endorsement key, which a TPM derives from a seed that never leaves it. */
async function readEndorsementKey(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-tpm-'));
  try {
    const publicPart = join(directory, 'ek.pub');
    const words = ['-G', 'ecc', '-c', join(directory, 'ek.ctx'), '-u', publicPart];
    await promisify(execFile)('tpm2_createek', words, { timeout: 30_000 });
    return hash('sha256', await readFile(publicPart));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
