import { StoreError, StoreUnavailable } from '../store-errors.ts';

/** The SQLSTATE or system code of an error, or "". See https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function codeOf(error: unknown): string {
  // A host with several addresses fails with one error per address.
  const single = error instanceof AggregateError ? error.errors[0] : error;
  const code = single instanceof Error && 'code' in single ? single.code : undefined;
  return typeof code === 'string' ? code : '';
}

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** The driver reports a lost or silent connection only by message. */
const lostMessages =
  /connection terminated|timeout exceeded when trying to connect|^timeout expired$|query read timeout|not queryable/i;

/** The connection is gone or silent, so the result of the statement in progress is unknown. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== '') return socketCodes.has(code) || code.startsWith('08') || ['57P01', '57P02', '57P03', '57P05'].includes(code);
  return error instanceof Error && lostMessages.test(error.message);
}

/** The server has not answered the connection or the packets: it is busy, unreachable or still starting (57P03). */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '57P03' || code === 'ETIMEDOUT' || (code === '' && isLost(error));
}

/** The connection leads to a read-only server. A new connection may reach the primary. */
export class StandbyRefused extends StoreUnavailable {
  override readonly name = 'StandbyRefused';

  constructor() {
    super('the connection is to a read-only standby', { outcomeUnknown: false });
  }
}

/** SQLSTATE 25006: the server rejects every write. */
export function isStandby(error: unknown): boolean {
  return error instanceof StandbyRefused || codeOf(error) === '25006';
}

/** Serialization failure or deadlock: the transaction must be retried. */
export function isCollision(error: unknown): boolean {
  return codeOf(error) === '40001' || codeOf(error) === '40P01';
}

/** The schema rejects a row: an error of one entry, not of the database. */
export function isRefusedRow(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error));
}

/** Converts the error of a failed operation. Temporary errors become `StoreUnavailable`. */
export function toRunError(error: unknown, outcomeUnknown: boolean): Error {
  if (error instanceof StoreError || error instanceof StoreUnavailable) return error;
  const cause = error;
  const code = codeOf(error);
  if (isLost(error)) return new StoreUnavailable('the connection to PostgreSQL was lost', { cause, outcomeUnknown });
  // The server reports all of the following errors, so the transaction was rolled back.
  if (isCollision(error))
    return new StoreUnavailable('PostgreSQL repeatedly rejected a contended transaction', { cause, outcomeUnknown: false });
  if (code === '55P03' || code === '57014') {
    return new StoreUnavailable('PostgreSQL did not finish in time', { cause, outcomeUnknown: false });
  }
  if (code === '25006') return new StoreUnavailable('PostgreSQL is read-only', { cause, outcomeUnknown: false });
  if (/^(53|58|XX)/.test(code)) {
    return new StoreUnavailable(`PostgreSQL cannot serve the request now (${code})`, { cause, outcomeUnknown: false });
  }
  return error instanceof Error ? error : new Error(String(error));
}

/**
 * How to fix a connection that pg_hba.conf rejects before it reads the password. The server reports whether the connection was encrypted:
 * a server that requires TLS has entries only for encrypted ones.
 */
function missingEntry(error: unknown): { readonly problem: string; readonly fix: string } | undefined {
  if (codeOf(error) !== '28000' || !(error instanceof Error) || !/pg_hba\.conf/.test(error.message)) return undefined;
  return /no encryption|SSL off/i.test(error.message)
    ? {
        problem: 'rejects unencrypted connections of this user, before it reads the password',
        fix: 'Add sslmode=verify-full, and sslrootcert for a private authority, to the database URL. If the server has no TLS, allow the connection in pg_hba.conf.',
      }
    : {
        problem: 'rejects this user, database or address, before it reads the password',
        fix: 'Allow the connection in pg_hba.conf of the server.',
      };
}

/** A TLS connection that the server does not offer, or whose certificate does not verify. */
function tlsProblem(error: unknown, code: string): { readonly problem: string; readonly fix: string } | undefined {
  const { message } = error as Error;
  if (/server does not support SSL/i.test(message))
    return {
      problem: 'does not offer TLS, which a database on another machine needs',
      fix: 'Turn TLS on in the PostgreSQL server (ssl = on). If the network path is protected otherwise, add sslmode=disable to the database URL.',
    };
  if (!/^(ERR_TLS_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_)/.test(code)) return undefined;
  return {
    problem: `has a certificate that does not verify: ${message}`,
    fix: 'Add sslrootcert=<file with the certificate of its authority> to the database URL, and connect with a name of the certificate.',
  };
}

/** Converts the error of a failed open into one line for the operator. SECURITY: built from the location, which has no password. */
export function toOpenError(error: unknown, location: string): Error {
  if (error instanceof StoreError) return error;
  if (error instanceof StandbyRefused)
    return new StoreError(`no server of ${location} takes writes`, 'Promote a standby, or start the primary.', { cause: error });
  const code = codeOf(error);
  const storeError = (message: string, fix: string) => new StoreError(message, fix, { cause: error });
  const entry = missingEntry(error);
  if (entry !== undefined) return storeError(`${location} ${entry.problem}`, entry.fix);
  // Only poolers reject the settings of a session: PostgreSQL knows all of them.
  if (error instanceof Error && /unsupported startup parameter/.test(error.message)) return behindPooler(location, error);
  switch (code) {
    case '28P01':
    case '28000':
      return storeError(
        `PostgreSQL rejected the user or password of ${location}`,
        'Check user and password in the database URL, and pg_hba.conf.',
      );
    case '3D000':
      return storeError(`the database of ${location} does not exist`, 'Create it: CREATE DATABASE … ENCODING utf8');
    case '42501':
      return storeError(
        `the user of ${location} may not create tables`,
        'Make the user the owner of the database, or grant it CREATE.',
      );
    case '42P07':
    case '42723':
      return storeError(
        `the database of ${location} holds tables of another program`,
        'Use a separate database for this service.',
      );
    case '53300':
      return storeError(`${location} takes no more connections`, 'Raise max_connections, or lower the pool size of the servers.');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return storeError(`the host of ${location} is not known`, 'Check the host name in the database URL.');
  }
  const untrusted = tlsProblem(error, code);
  if (untrusted !== undefined) return storeError(`${location} ${untrusted.problem}`, untrusted.fix);
  if (isLost(error))
    return storeError(`PostgreSQL does not respond at ${location}`, 'Start the server, and check host, port and firewall.');
  if (code !== '' || (error instanceof Error && /\bSSL\b/.test(error.message))) {
    return storeError(
      `${location} cannot be used: ${(error as Error).message}`,
      'Check the database URL and the log of the PostgreSQL server.',
    );
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** The service refuses poolers: see `refuseUnfit`. */
export function behindPooler(location: string, cause?: unknown): StoreError {
  return new StoreError(
    `${location} is behind a connection pooler, such as PgBouncer`,
    'Connect to PostgreSQL itself. The service has its own pool (--database-pool), and needs sessions for locks, timeouts and prepared statements.',
    { cause },
  );
}
