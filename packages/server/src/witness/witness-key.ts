import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { OperatorError } from '@countersign/contract';
import { formatSignerKey, parseSignerKey, type SignerKey, TlogError } from '@countersign/tlog';
import { privateFileObjection } from '../config/private-file.ts';
import { writeNewFile } from '../store/durable-file.ts';

/** The settings or the directory of the witness are unusable. */
export class WitnessError extends OperatorError {
  override readonly name = 'WitnessError';
}

/**
 * The key of a witness, created at first startup with this name. Throws WitnessError for a file without such a key, that other
 * users can read, or that has another name than the one that was asked for.
 */
export async function openWitnessKey(path: string, name: string | undefined): Promise<SignerKey> {
  const stored = readKey(path) ?? (await createKey(path, name));
  if (name === undefined || name === stored.name) return stored;
  throw new WitnessError(
    `The witness in this directory is called ${stored.name}, not ${name}.`,
    'Leave --name out, or choose another --data-dir for another witness.',
  );
}

async function createKey(path: string, name = `witness-${randomBytes(4).toString('hex')}`): Promise<SignerKey> {
  const key: SignerKey = { name, type: 'cosignature', seed: new Uint8Array(randomBytes(32)) };
  let text: string;
  try {
    text = formatSignerKey(key);
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new WitnessError(
      `--name cannot be the name of a key: ${error.message}.`,
      'Give a name such as witness.example.com/one.',
    );
  }
  // Another process may have created a key in between. INVARIANT: all of them use the one that is stored.
  return (await writeNewFile(path, Buffer.from(`${text}\n`))) ? key : (readKey(path) as SignerKey);
}

function readKey(path: string): SignerKey | undefined {
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
    const key = parseSignerKey(readFileSync(file, 'utf8').trimEnd());
    if (key.type === 'cosignature') return key;
    throw new TlogError('it is of another type');
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new WitnessError(`${path} is not the key of a witness: ${error.message}.`, 'Restore the file from a copy.');
  } finally {
    closeSync(file);
  }
}
