/** Public settings of the service. */
interface ConsoleSettings {
  /** Path of the API, relative to the parent folder of the console. */
  readonly apiPath: string;
  /** The domains that passkeys of this installation belong to; empty for the domain of the page. */
  readonly passkeyDomains: readonly string[];
  /** URLs with `{hash}`, by the CAIP-2 name of the chain. */
  readonly explorerUrls: Readonly<Record<string, string>>;
  readonly version?: string;
}

let settings: ConsoleSettings = { apiPath: '', passkeyDomains: [], explorerUrls: {} };

const ASK_AGAIN_MS = 5_000;

/** Loads the settings of the service. A plain file server has none; the defaults apply. */
export async function loadSettings(): Promise<void> {
  const response = await askSettings();
  if (response === undefined) reopenWhenBack();
  else if (response.ok) settings = { ...settings, ...((await response.json()) as Partial<ConsoleSettings>) };
}

const askSettings = () => fetch(new URL('settings.json', document.baseURI), { redirect: 'error' }).catch(() => undefined);

/** The page was opened offline and does not know the API path. It reloads when the service responds. */
function reopenWhenBack(): void {
  const timer = setInterval(async () => {
    if ((await askSettings()) === undefined) return;
    clearInterval(timer);
    location.reload();
  }, ASK_AGAIN_MS);
}

const above = (path: string) => new URL(`..${path}`, document.baseURI).href.replace(/\/$/, '');

/** Base URL of the API, relative to the parent folder of the console. */
export const apiBase = (): string => above(settings.apiPath);

/** Base URL of the service. */
export const serviceBase = (): string => above('');

/** The operator’s explorers of transactions. */
export const explorerUrls = (): ConsoleSettings['explorerUrls'] => settings.explorerUrls;

/** Version of the service, if known. */
export const serviceVersion = (): string | undefined => settings.version;

/** The relying party of passkeys: the configured domain that this page belongs to, or that of the page. */
export function passkeyDomain(): string {
  const host = location.hostname;
  return settings.passkeyDomains.find((domain) => host === domain || host.endsWith(`.${domain}`)) ?? host;
}
