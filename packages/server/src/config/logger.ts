import { type Logger, pino } from 'pino';

/** SECURITY: bodies, stamps and results never reach the logger. These redacted paths are a second line of defence. */
const REDACTED = ['req.headers', 'headers', 'body', 'stamp', 'apiPrivateKey', 'passphrase'];

/** Writes JSON lines to the standard error. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: { pid: process.pid }, redact: { paths: REDACTED, censor: '[redacted]' } },
    pino.destination({ dest: 2, sync: false }),
  );
}
