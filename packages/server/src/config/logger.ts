import { type Logger, pino } from 'pino';

/** SECURITY: bodies, stamps and results never reach the logger. These redacted paths are a second line of defence. */
const REDACTED = ['req.headers', 'headers', 'body', 'stamp', 'apiPrivateKey', 'passphrase'];

/** Lines wait for others until they fill this many bytes, but no longer than a moment: a write for each line costs a request 30 µs. */
const MIN_BYTES = 4_096;
const MOST_WAIT_MS = 100;

/** Writes JSON lines to the standard error. What waits is written when the process ends, and before a fatal error ends it. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: { pid: process.pid }, redact: { paths: REDACTED, censor: '[redacted]' } },
    pino.destination({ dest: 2, sync: false, minLength: MIN_BYTES, periodicFlush: MOST_WAIT_MS }),
  );
}
