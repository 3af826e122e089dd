import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** An installation waits this long for another one to finish. */
const LOCK_SECONDS = 300;

/** How long a test may take if it has to install packages first. */
export const INSTALL_TIMEOUT_MS = 15 * 60_000;

/**
 * Installs Debian packages, as root on Debian. `need` begins the error otherwise, and `howTo` says how to get them another way.
 */
export function installDebianPackages(packages: readonly string[], need: string, howTo: string): void {
  if (!isRoot() || !isDebian()) throw new Error(`${need}: ${howTo}.`);
  try {
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...packages);
  } catch (cause) {
    throw new Error(`${need}, and apt-get could not install it: ${howTo}.`, { cause });
  }
}

/** The first path that exists. The packages are installed if there is none. */
export function installedFile(paths: readonly string[], packages: readonly string[], need: string): string {
  const howTo = `install the packages ${packages.join(' and ')}`;
  const find = () => paths.find((path) => existsSync(path));
  const found = find();
  if (found !== undefined) return found;
  installDebianPackages(packages, need, howTo);
  const path = find();
  if (path === undefined) throw new Error(`${need}, which ${packages.join(' and ')} did not bring: ${howTo}.`);
  return path;
}

function apt(...args: string[]): void {
  execFileSync('/usr/bin/apt-get', ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: INSTALL_TIMEOUT_MS / 2,
  });
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isDebian(): boolean {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}
