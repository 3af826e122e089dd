import { type Logger, pino } from 'pino';

/** SECURITY: bodies, stamps and results never reach the logger. These redacted paths are a second line of defence. */
const REDACTED = ['req.headers', 'headers', 'body', 'stamp', 'apiPrivateKey', 'passphrase'];

/** Lines wait for others until they fill this many bytes, but no longer than a moment: a write for each line costs a request 30 µs. */
const MIN_BYTES = 4_096;
const MOST_WAIT_MS = 100;

/**
 * Bytes that wait if the reader of the standard error is slower than the service. Later lines are dropped, so that requests neither wait for
 * the reader nor fill the memory. How many is written when the reader follows again.
 */
const MAX_WAITING = 16_777_216;

/** Writes JSON lines to the standard error. What waits is written when the process ends, and before a fatal error ends it. */
export function createLogger(level: string, mostWaiting = MAX_WAITING): Logger {
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: MIN_BYTES,
    maxLength: mostWaiting,
    periodicFlush: MOST_WAIT_MS,
  });
  const log = pino({ level, base: { pid: process.pid }, redact: { paths: REDACTED, censor: '[redacted]' } }, destination);
  let dropped = 0;
  // SECURITY: D647: a reader that stopped must not stop the service.
  destination.on('drop', () => {
    dropped += 1;
  });
  destination.on('drain', () => {
    if (dropped === 0) return;
    const lines = dropped;
    dropped = 0;
    log.warn({ lines }, 'lines of this log were dropped, because its reader was too slow');
  });
  return log;
}
