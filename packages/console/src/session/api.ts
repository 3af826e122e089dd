/** What the service tells a page before anybody signs in. */
interface ConsoleSettings {
  /** Where the API is, below the folder above the console. */
  readonly apiPath: string;
  /** The domains that passkeys of this installation belong to; empty for the domain of the page. */
  readonly passkeyDomains: readonly string[];
  readonly version?: string;
}

let settings: ConsoleSettings = { apiPath: '', passkeyDomains: [] };

const ASK_AGAIN_MS = 5_000;

/** Reads the settings of the service that this page came from. A server of files alone has none; the defaults are right for it. */
export async function loadSettings(): Promise<void> {
  const response = await askSettings();
  if (response === undefined) reopenWhenBack();
  else if (response.ok) settings = { ...settings, ...((await response.json()) as Partial<ConsoleSettings>) };
}

const askSettings = () => fetch(new URL('settings.json', document.baseURI), { redirect: 'error' }).catch(() => undefined);

/** The page was opened without a network, and does not know where the API is. It begins anew when the service answers. */
function reopenWhenBack(): void {
  const timer = setInterval(async () => {
    if ((await askSettings()) === undefined) return;
    clearInterval(timer);
    location.reload();
  }, ASK_AGAIN_MS);
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
