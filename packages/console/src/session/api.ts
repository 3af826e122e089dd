/** What the service tells a page before anybody signs in. */
interface ConsoleSettings {
  /** Where the API is, below the folder above the console. */
  readonly apiPath: string;
  /** The domains that passkeys of this installation belong to; empty for the domain of the page. */
  readonly passkeyDomains: readonly string[];
  readonly version?: string;
}

let settings: ConsoleSettings = { apiPath: '', passkeyDomains: [] };

/** Reads the settings of the service that this page came from. Without an answer the defaults hold. */
export async function loadSettings(): Promise<void> {
  try {
    const response = await fetch(new URL('settings.json', document.baseURI), { redirect: 'error' });
    if (response.ok) settings = { ...settings, ...((await response.json()) as Partial<ConsoleSettings>) };
  } catch {
    // A server of files alone has no settings. The defaults are right for it.
  }
}

const above = (path: string) => new URL(`..${path}`, document.baseURI).href.replace(/\/$/, '');

/** The address of the API. The service is at the folder above the one that the console is in. */
export const apiBase = (): string => above(settings.apiPath);

/** The address of the service itself. */
export const serviceBase = (): string => above('');

/** The version of the service, where it tells. */
export const serviceVersion = (): string | undefined => settings.version;

/** The relying party of passkeys: the configured domain that this page belongs to, or that of the page. */
export function passkeyDomain(): string {
  const host = location.hostname;
  return settings.passkeyDomains.find((domain) => host === domain || host.endsWith(`.${domain}`)) ?? host;
}
