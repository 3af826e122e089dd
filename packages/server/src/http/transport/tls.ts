import type { Logger } from 'pino';
import { readTlsFiles, type TlsFiles, type TlsSettings } from './tls-files.ts';
import { createTlsHandshakes, type TlsHandshakes } from './tls-handshake.ts';

/** TLS of a serving process. */
export interface ServiceTls extends Pick<TlsHandshakes, 'secure'> {
  /** The files in use. */
  files(): TlsFiles;
  /** Reads the files again, with other settings if they are given. Files that cannot be used are logged, and change nothing. */
  reload(settings?: TlsSettings): void;
  close(): void;
}

/** How often to look for changed files. Tools that renew certificates replace files in several steps, and do not wait for an answer. */
const CHECK_MS = 5_000;

/** Reads the files, and uses changed ones for new connections. Undefined without TLS. Throws ConfigError. */
export function openTls(settings: TlsSettings, log: Pick<Logger, 'info' | 'error'>, checkMs = CHECK_MS): ServiceTls | undefined {
  let handshakes: TlsHandshakes | undefined;
  const watched = watchTls(settings, log, (next) => handshakes?.reload(next.files, next.settings), checkMs);
  if (watched === undefined) return undefined;
  handshakes = createTlsHandshakes(watched.first.files, settings);
  return { secure: handshakes.secure, files: watched.files, reload: watched.reload, close: watched.close };
}

/** Certificates, and the settings that they were read with. */
export interface UsedTls {
  readonly files: TlsFiles;
  readonly settings: TlsSettings;
}

/** Reads the files, and calls `use` when they have changed. Undefined without TLS. Throws ConfigError. */
export function watchTls(
  settings: TlsSettings,
  log: Pick<Logger, 'info' | 'error'>,
  use: (next: UsedTls) => void,
  checkMs = CHECK_MS,
): (Pick<ServiceTls, 'files' | 'reload' | 'close'> & { readonly first: UsedTls }) | undefined {
  const files = readTlsFiles(settings);
  if (files === undefined) return undefined;
  const first: UsedTls = { files, settings };
  let used = first;
  let lastError = '';

  function reload(next: TlsSettings = used.settings): void {
    try {
      const read = readTlsFiles(next);
      lastError = '';
      if (read === undefined || isSame(used, { files: read, settings: next })) return;
      used = { files: read, settings: next };
      use(used);
      log.info('the TLS certificates were reloaded');
    } catch (error) {
      // A half-written file, or a certificate without its key yet. The next check tries again.
      const { message } = error as Error;
      if (message !== lastError)
        log.error({ err: error }, 'the TLS certificates were not reloaded; the earlier ones stay in use');
      lastError = message;
    }
  }

  const timer = setInterval(() => reload(), checkMs).unref();
  return { first, files: () => used.files, reload, close: () => clearInterval(timer) };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
