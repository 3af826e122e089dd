import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, chromiumPath } from './chromium.ts';

/** A Chromium that keeps a profile on disk, as people use it. */
export interface ProfileBrowser {
  readonly browser: Browser;
  /** Ends all its processes at once, as a crash or a power failure would. */
  kill(): Promise<void>;
}

/** How long a busy machine may take to connect. */
const CONNECT_MS = 120_000;

/** Starts Chromium on a profile. With `restore`, it opens the pages of the last session again. */
export async function startOnProfile(directory: string, { restore = false } = {}): Promise<ProfileBrowser> {
  const flags = [
    ...CHROMIUM_FLAGS,
    '--headless=new',
    '--no-sandbox',
    '--remote-debugging-port=0',
    `--user-data-dir=${directory}`,
    ...(restore ? ['--restore-last-session'] : []),
  ];
  const child = spawn(chromiumPath(), flags, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const kill = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    // The group of processes that this function started.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  try {
    const browser = await chromium.connectOverCDP(await debuggerAddress(child), { timeout: CONNECT_MS });
    return { browser, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

function debuggerAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (part) => {
      text += part;
      const [, address] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`Chromium ended with code ${code}: ${text}`)));
  });
}

/** The files of a profile that contain a text, in UTF-8 or UTF-16. */
export function filesWith(directory: string, text: string): string[] {
  const forms = [Buffer.from(text), Buffer.from(text, 'utf16le')];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      try {
        const bytes = readFileSync(path);
        return forms.some((form) => bytes.includes(form));
      } catch {
        // The browser has just deleted or locked it.
        return false;
      }
    })
    .map((path) => path.slice(directory.length + 1));
}
