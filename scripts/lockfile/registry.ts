import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The registry did not answer a request about a package. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}

/** Asks the registry that npm is configured for. */
export interface Registry {
  /** The integrity hash of a published version, or undefined if that version is not published. */
  integrityOf(name: string, version: string): Promise<string | undefined>;
  close(): void;
}

/** Asks through npm itself, so that its settings for registry, proxy and certificates hold. */
export function openRegistry(): Registry {
  // An empty cache: npm answers from its own cache when the registry cannot be reached.
  const cache = mkdtempSync(join(tmpdir(), 'countersign-registry-'));
  const options = [
    '--json',
    '--loglevel=silent',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--fetch-timeout=30000',
    `--cache=${cache}`,
  ];
  return {
    integrityOf: (name, version) =>
      new Promise((resolve, reject) => {
        execFile('npm', ['view', `${name}@${version}`, 'dist.integrity', ...options], (error, stdout) => {
          const answer = parse(stdout);
          if (typeof answer === 'string') resolve(answer);
          else if (answer?.error?.code === 'E404') resolve(undefined);
          else reject(new RegistryError(answer?.error?.summary ?? error?.message ?? 'npm view printed no hash.'));
        });
      }),
    close: () => rmSync(cache, { recursive: true, force: true }),
  };
}

type Answer = string | { readonly error?: { readonly code?: string; readonly summary?: string } } | undefined;

function parse(stdout: string): Answer {
  try {
    return JSON.parse(stdout) as Answer;
  } catch {
    // npm died before it printed an answer; the caller reports how.
    return undefined;
  }
}
