import type { Logger } from 'pino';
import { readTlsFiles, type TlsFiles, type TlsSettings } from './tls-files.ts';
import { createTlsHandshakes, type TlsHandshakes } from './tls-handshake.ts';

/** TLS of a serving process. */
export interface ServiceTls extends Pick<TlsHandshakes, 'secure'> {
  /** Reads the files again, with other settings if they are given. Files that cannot be used are logged, and change nothing. */
  reload(settings?: TlsSettings): void;
  close(): void;
}

/** How often to look for changed files. Tools that renew certificates replace files in several steps, and do not wait for an answer. */
const CHECK_MS = 5_000;

/** Reads the files, and uses changed ones for new connections. Undefined without TLS. Throws ConfigError. */
export function openTls(settings: TlsSettings, log: Pick<Logger, 'info' | 'error'>, checkMs = CHECK_MS): ServiceTls | undefined {
  const first = readTlsFiles(settings);
  if (first === undefined) return undefined;
  const handshakes = createTlsHandshakes(first, settings);
  let used: { readonly files: TlsFiles; readonly settings: TlsSettings } = { files: first, settings };
  let lastError = '';

  function reload(next: TlsSettings = used.settings): void {
    try {
      const files = readTlsFiles(next);
      lastError = '';
      if (files === undefined || isSame(used, { files, settings: next })) return;
      handshakes.reload(files, next);
      used = { files, settings: next };
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
  return { secure: handshakes.secure, reload, close: () => clearInterval(timer) };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
