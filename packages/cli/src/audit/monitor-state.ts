import { open, readFile, rename } from 'node:fs/promises';
import { AuditError, formatMonitorState, type MonitorState, newMonitorState, parseMonitorState } from '@countersign/verify';
import { CliError } from '../errors.ts';

/** Reads what a monitor of this root log saw before, or begins. */
export async function readMonitorState(file: string, rootKey: string): Promise<MonitorState> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return newMonitorState(rootKey);
    throw new CliError(`${file} cannot be read: ${code}.`, 'Check --state and the permissions of the file.');
  }
  try {
    return parseMonitorState(text, rootKey);
  } catch (error) {
    if (!(error instanceof AuditError)) throw error;
    throw new CliError(`${file} cannot be used: ${error.message}.`, 'Choose another --state, or restore the file.');
  }
}

/** Replaces the file. A crash leaves either the old or the new one. */
export async function writeMonitorState(file: string, state: MonitorState): Promise<void> {
  const fresh = `${file}.new`;
  const handle = await open(fresh, 'w', 0o600);
  try {
    await handle.writeFile(formatMonitorState(state));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(fresh, file);
}
