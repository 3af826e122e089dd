import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { formatSignerKey, parseSignerKey, type SignerKey, TlogError } from '@countersign/tlog';
import { privateFileObjection } from '../config/private-file.ts';
import { writeNewFile } from '../store/durable-file.ts';
import { WitnessError } from '../witness/witness-key.ts';

/**
 * The key that signs a root log, created at first startup with this name. Throws WitnessError for a file without such a key, that other
 * users can read, or that has another name than the one that was asked for.
 */
export async function openLogKey(path: string, name: string | undefined): Promise<SignerKey> {
  const stored = readKey(path) ?? (await createKey(path, name));
  if (name === undefined || name === stored.name) return stored;
  throw new WitnessError(
    `The root log in this directory is called ${stored.name}, not ${name}.`,
    'Leave --name out, or choose another --data-dir for another root log.',
  );
}

async function createKey(path: string, name = `countersign-root-${randomBytes(4).toString('hex')}`): Promise<SignerKey> {
  const created: SignerKey = { name, type: 'ed25519', seed: new Uint8Array(randomBytes(32)) };
  let text: string;
  try {
    text = `${formatSignerKey(created)}\n`;
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new WitnessError(`--name cannot be the name of a log: ${error.message}.`, 'Give a name such as keys.example.com/root.');
  }
  return (await writeNewFile(path, Buffer.from(text))) ? created : (readKey(path) as SignerKey);
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
    if (key.type !== 'ed25519') throw new TlogError('it is of another type');
    return key;
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    throw new WitnessError(`${path} is not the key of a log: ${error.message}.`, 'Restore the file from a copy.');
  } finally {
    closeSync(file);
  }
}
