import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { INSTALL_TIMEOUT_MS, installDebianPackages, isRoot } from './debian-packages.ts';

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

/** How long `startChromium` may take if it has to install Chromium first. */
export const CHROMIUM_TIMEOUT_MS = INSTALL_TIMEOUT_MS;

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
  installDebianPackages(['chromium'], 'Browser tests need Chromium', HOW_TO_GET_IT);
  const path = findChromium();
  if (path === undefined) throw new Error(`The package chromium has no browser in a usual place: ${HOW_TO_GET_IT}.`);
  return path;
}
