import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { OperatorError } from '@countersign/contract';
import { formatSignerKey, parseSignerKey, type SignerKey, TlogError } from '@countersign/tlog';
import { privateFileObjection } from '../config/private-file.ts';
import { replaceFile, writeNewFile } from '../store/durable-file.ts';

/** The settings or the directory of the witness are unusable. */
export class WitnessError extends OperatorError {
  override readonly name = 'WitnessError';
}

/** The logs that a witness ever cosigned, by the SHA-256 of their origin in hex. */
export interface CosignedLogs {
  has(hash: string): boolean;
  /** Durable once the promise resolves. */
  add(hash: string): Promise<void>;
}

/** The content of the key file. */
export interface WitnessKey {
  readonly signer: SignerKey;
  readonly cosigned: CosignedLogs;
}

/**
 * The key of a witness, created at first startup with this name, and the list of logs that it cosigned. Throws WitnessError for a file
 * without such a key, that other users can read, or that has another name than the one that was asked for.
 *
 * SECURITY: the list is in the file of the key. If it is lost, so is the key, and nobody trusts the cosignatures of another one.
 */
export async function openWitnessKey(path: string, name: string | undefined): Promise<WitnessKey> {
  const stored = readKey(path) ?? (await createKey(path, name));
  if (name !== undefined && name !== stored.signer.name)
    throw new WitnessError(
      `The witness in this directory is called ${stored.signer.name}, not ${name}.`,
      'Leave --name out, or choose another --data-dir for another witness.',
    );
  return { signer: stored.signer, cosigned: createCosignedLogs(path, stored) };
}

function createCosignedLogs(path: string, { signer, hashes: stored }: KeyFile): CosignedLogs {
  const hashes = new Set(stored);
  let writing: Promise<void> = Promise.resolve();

  async function append(hash: string): Promise<void> {
    if (hashes.has(hash)) return;
    await replaceFile(path, Buffer.from(formatKeyFile({ signer, hashes: [...hashes, hash] })));
    hashes.add(hash);
  }

  return {
    has: (hash) => hashes.has(hash),
    add(hash) {
      // One write at a time: each contains the lines of those before.
      const added = writing.then(() => append(hash));
      writing = added.catch(() => undefined);
      return added;
    },
  };
}

interface KeyFile {
  readonly signer: SignerKey;
  readonly hashes: readonly string[];
}

const formatKeyFile = ({ signer, hashes }: KeyFile): string =>
  `${[formatSignerKey(signer), ...hashes.map((hash) => `origin ${hash}`)].join('\n')}\n`;

async function createKey(path: string, name = `witness-${randomBytes(4).toString('hex')}`): Promise<KeyFile> {
  const created: KeyFile = { signer: { name, type: 'cosignature', seed: new Uint8Array(randomBytes(32)) }, hashes: [] };
  let text: string;
  try {
    text = formatKeyFile(created);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new WitnessError(
      `--name cannot be the name of a key: ${error.message}.`,
      'Give a name such as witness.example.com/one.',
    );
  }
  // Another process may have created a key in between. INVARIANT: all of them use the one that is stored.
  return (await writeNewFile(path, Buffer.from(text))) ? created : (readKey(path) as KeyFile);
}

function readKey(path: string): KeyFile | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    // SECURITY: check the opened file, so that it cannot be replaced between check and read.
    const objection = privateFileObjection(path, fstatSync(file), 'change the key');
    if (objection !== undefined) throw new WitnessError(`${path} ${objection.problem}.`, objection.fix);
    return parseKeyFile(readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new WitnessError(`${path} is not the key of a witness: ${error.message}.`, 'Restore the file from a copy.');
  } finally {
    closeSync(file);
  }
}

/** SECURITY: no message quotes the text. */
function parseKeyFile(text: string): KeyFile {
  const [keyLine = '', ...lines] = text.trimEnd().split('\n');
  const signer = parseSignerKey(keyLine.trimEnd());
  if (signer.type !== 'cosignature') throw new TlogError('it is of another type');
  const hashes = lines.map((line) => {
    const [, hash] = /^origin ([0-9a-f]{64})$/.exec(line) ?? [];
    if (hash === undefined) throw new TlogError('a line after the key does not name a log');
    return hash;
  });
  return { signer, hashes };
}
