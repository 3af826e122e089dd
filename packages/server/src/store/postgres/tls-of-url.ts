import { isLoopbackHost } from '../../network/public-address.ts';

/** How a connection to a server is protected. `local`: it does not leave this machine. `unverified`: encrypted, to any server. */
export type Protection = 'local' | 'verified' | 'unverified' | 'plain';

/** The protection that a URL of one server asks for; undefined if it says nothing. */
function askedFor({ searchParams }: URL): Exclude<Protection, 'local'> | undefined {
  const mode = searchParams.get('sslmode');
  const ssl = searchParams.get('ssl');
  if (mode === 'disable' || (mode === null && ssl !== null && !['true', '1'].includes(ssl))) return 'plain';
  if (mode === 'no-verify') return 'unverified';
  // With it, the driver verifies as little as libpq does.
  if (searchParams.get('uselibpqcompat') === 'true' && mode !== 'verify-full') return 'unverified';
  return mode === null && ssl === null ? undefined : 'verified';
}

function isLocal(url: URL): boolean {
  const host = url.searchParams.get('host') ?? url.hostname;
  return host.startsWith('/') || host.startsWith('%2F') || isLoopbackHost(host);
}

/**
 * The URL of one server, with TLS and a verified certificate unless the server is on this machine or the URL says otherwise.
 * SECURITY: D606: the password and every row travel on this connection. node-postgres does not encrypt by default.
 */
export function withTls(text: string): string {
  const url = new URL(text);
  const asked = askedFor(url);
  const isDefault = asked === undefined && !isLocal(url);
  // The driver treats `prefer`, `require` and `verify-ca` as `verify-full`, and announces that it will not for long.
  const isWeaker = asked === 'verified' && !['verify-full', null].includes(url.searchParams.get('sslmode'));
  if (!isDefault && !isWeaker) return text;
  const [before = '', query = ''] = text.split('?');
  const options = query.split('&').filter((option) => option !== '' && !option.startsWith('sslmode='));
  return `${before}?${[...options, 'sslmode=verify-full'].join('&')}`;
}

/** The weakest protection of several servers, as their URLs are used. */
export function protectionOf(urls: readonly string[]): Protection {
  const found = urls.map((text) => {
    const url = new URL(withTls(text));
    return isLocal(url) ? 'local' : (askedFor(url) ?? 'plain');
  });
  return (['plain', 'unverified', 'verified'] as const).find((each) => found.includes(each)) ?? 'local';
}
