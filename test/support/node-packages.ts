import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Nodes of chains, with a package.json of their own: their programs are large, and most tests need none of them. */
const folder = join(import.meta.dirname, '../nodes');
const lock = join(folder, '.installing');
const INSTALL_MS = 5 * 60_000;

/** The path of a file in those packages. They are installed from the registry first if they are missing. */
export async function nodePackageFile(path: string): Promise<string> {
  const file = join(folder, 'node_modules', path);
  if (!existsSync(file)) await install(file);
  if (!existsSync(file))
    throw new Error(`This test needs ${path}, which npm install --prefix test/nodes did not bring for this platform.`);
  return file;
}

/** Test files run in parallel, and one of them installs. */
async function install(file: string): Promise<void> {
  const endMs = Date.now() + INSTALL_MS;
  for (;;) {
    if (await isOurs()) break;
    if (existsSync(file)) return;
    if (Date.now() > endMs) throw new Error(`Another process installs test/nodes for too long. Remove ${lock}.`);
    await sleep(500);
  }
  try {
    const options = ['--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'];
    if (!existsSync(file)) await promisify(execFile)('npm', ['install', ...options], { cwd: folder, timeout: INSTALL_MS });
  } finally {
    await rmdir(lock);
  }
}

async function isOurs(): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    // Another process has it, or had it and was killed.
    const made = await stat(lock).catch(() => undefined);
    if (made !== undefined && Date.now() - made.mtimeMs > INSTALL_MS) await rmdir(lock).catch(() => undefined);
    return false;
  }
}
