import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const HOW_TO_GET_IT = 'install the package chromium, or set COUNTERSIGN_CHROMIUM to the path of Chromium or Chrome';

/** Draws nothing, and requests only the test's own pages over the network. */
export const CHROMIUM_FLAGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** An installation waits this long for another one to finish. */
const LOCK_SECONDS = 300;

/** How long `startChromium` may take if it has to install Chromium first. */
export const CHROMIUM_TIMEOUT_MS = 15 * 60_000;

/**
 * Starts a headless Chromium of this machine. As root on Debian, it installs Chromium if it is missing.
 * Otherwise it throws one line that says what to install.
 */
export async function startChromium(): Promise<Browser> {
  // Chromium cannot use its sandbox as root.
  return chromium.launch({ executablePath: chromiumPath(), chromiumSandbox: !isRoot(), args: CHROMIUM_FLAGS });
}

/** The path of Chromium, which is installed if it is missing. */
export function chromiumPath(): string {
  return findChromium() ?? installChromium();
}

function findChromium(): string | undefined {
  const path = process.env.COUNTERSIGN_CHROMIUM;
  if (path === undefined || path === '') return USUAL_PLACES.find(existsSync);
  if (!existsSync(path)) throw new Error(`COUNTERSIGN_CHROMIUM names ${path}, which does not exist: ${HOW_TO_GET_IT}.`);
  return path;
}

function installChromium(): string {
  if (!isRoot() || !isDebian()) throw new Error(`Browser tests need Chromium: ${HOW_TO_GET_IT}.`);
  try {
    apt('update');
    apt('install', '-y', '--no-install-recommends', 'chromium');
  } catch (cause) {
    throw new Error(`Browser tests need Chromium, and apt-get could not install it: ${HOW_TO_GET_IT}.`, { cause });
  }
  const path = findChromium();
  if (path === undefined) throw new Error(`The package chromium has no browser in a usual place: ${HOW_TO_GET_IT}.`);
  return path;
}

function apt(...args: string[]): void {
  execFileSync('/usr/bin/apt-get', ['-o', `DPkg::Lock::Timeout=${LOCK_SECONDS}`, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: CHROMIUM_TIMEOUT_MS / 2,
  });
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function isDebian(): boolean {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}
