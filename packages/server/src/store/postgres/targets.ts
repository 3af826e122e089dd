import pg from 'pg';
import { StoreError } from '../store-errors.ts';
import { type Protection, protectionOf, withTls } from './tls-of-url.ts';

/** The servers in a database URL. One of them accepts writes. */
export interface Targets {
  readonly count: number;
  /** Locations of all servers, safe to show: without password and options. */
  readonly location: string;
  /** How the connection to the least protected server is protected. */
  readonly protection: Protection;
  /** Client for the current server. If it cannot connect, the next server becomes the current one. */
  readonly Client: typeof pg.Client;
  /** Makes the next server the current one, unless the client's server already is no longer current. */
  moveOn(client: pg.ClientBase): void;
}

/** SECURITY: a regular expression splits the URL, because an error of the URL parser quotes its whole input, including the password. */
const SEVERAL_HOSTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/;

/**
 * Parses `postgres://user:password@host:port,host:port/database`, as libpq does. The first server that accepts a connection and writes is
 * used until it fails. Throws a `StoreError` for an invalid URL, without showing it.
 */
export function createTargets(url: string): Targets {
  const urls = splitHosts(url);
  let turn = 0;
  const moveFrom = (at: number) => {
    if (at === turn) turn = (turn + 1) % urls.length;
  };
  const places = new WeakMap<pg.ClientBase, number>();

  class TurningClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      const at = turn;
      super({ ...(typeof config === 'object' && config), connectionString: urls[at] });
      places.set(this, at);
    }

    override connect(): Promise<this>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<this> | undefined {
      const note = (error: unknown) => {
        if (error !== null && error !== undefined) moveOn(this);
      };
      if (callback === undefined)
        return super.connect().then(
          () => this,
          (error: unknown) => {
            note(error);
            throw error;
          },
        );
      super.connect((error: Error) => {
        note(error);
        callback(error);
      });
      return undefined;
    }
  }

  function moveOn(client: pg.ClientBase): void {
    moveFrom(places.get(client) ?? turn);
  }

  const location = urls.map(toLocation).join(', ');
  return { count: urls.length, location, protection: protectionOf(urls), Client: TurningClient, moveOn };
}

/** One URL per host. */
function splitHosts(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = SEVERAL_HOSTS.exec(url) ?? [];
  const urls = hosts.split(',').map((host) => `${before}${host}${withoutTarget(after)}`);
  if (before === '' || !urls.every(isUrl)) {
    throw new StoreError(
      'the database URL cannot be read',
      'Write it as postgres://user:password@host:port/database, with further hosts after a comma: host1:5432,host2:5432',
    );
  }
  return urls.map(withTls);
}

/** Removes the libpq option `target_session_attrs`: the store always uses the writable server. Throws if it asks for another server. */
function withoutTarget(rest: string): string {
  const wanted = /[?&]target_session_attrs=([^&]*)/.exec(rest)?.[1];
  if (wanted !== undefined && !['read-write', 'primary'].includes(wanted)) {
    throw new StoreError(
      `the database URL asks for target_session_attrs=${wanted}, and the service has to write`,
      'Omit the option, or write target_session_attrs=read-write.',
    );
  }
  return rest.replace(/([?&])target_session_attrs=[^&]*&?/, '$1').replace(/[?&]$/, '');
}

function isUrl(url: string): boolean {
  try {
    return new URL(url).hostname !== '';
  } catch {
    // SECURITY: the parser's error quotes its whole input, including the password, so drop it here.
    return false;
  }
}

/** The location of a database, safe to show: the URL without password and options. */
function toLocation(url: string): string {
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
