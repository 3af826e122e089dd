import type { IncomingMessage } from 'node:http';
import { basePaths } from '@countersign/contract';
import { consolePort } from '../../config/console-port.ts';
import type { Config } from '../../config/settings.ts';
import { VERSION } from '../../config/version.ts';
import { frontPage } from './front-page.ts';
import type { AnswerPage } from './page.ts';
import { pageFolder } from './page-folder.ts';
import { consoleSources, ownOriginOnly, pageHeaders } from './page-headers.ts';
import { createProverFiles, PROVER, proverHeaders } from './prover-files.ts';
import { readStaticFiles, type StaticFiles, staticFile } from './static-files.ts';
import { createStaticSite } from './static-site.ts';

/** The pages for people: the front page, the console and the documentation. */
export interface Sites {
  readonly front: AnswerPage;
  pageUnder(path: string): AnswerPage | undefined;
}

/** Where the built files are. */
export interface SiteFolders {
  readonly console: string;
  readonly docs: string;
}

const builtFolders = (): SiteFolders => ({ console: pageFolder('console'), docs: pageFolder('docs') });

const read = new Map<string, Promise<StaticFiles | undefined>>();

/** Reads a folder once in this process: the files of a release stay the same, and services of one process share them. */
function readOnce(folder: string): Promise<StaticFiles | undefined> {
  const files = read.get(folder) ?? readStaticFiles(folder);
  read.set(folder, files);
  return files;
}

let prover: ReturnType<typeof createProverFiles> | undefined;

/** Services of one process share the compressed files. */
function proverFiles() {
  prover ??= createProverFiles();
  return prover;
}

/** Starts to read the built files immediately. `admit` throws if an address sends too many requests. */
export function createSites(config: Config, admit: (request: IncomingMessage) => void, folders = builtFolders()): Sites {
  const headers = pageHeaders(consoleSources);
  const proverFile = proverFiles();
  const ownPort = consolePort(config);
  const hasConsole = ({ socket }: IncomingMessage) =>
    config.console !== 'off' && (ownPort === undefined || socket.localPort === ownPort);
  const consoleFiles = config.console === 'off' ? Promise.resolve(undefined) : readConsole(config, folders.console);
  const docsFiles = readOnce(folders.docs);
  for (const files of [consoleFiles, docsFiles]) files.catch(() => {}); // Told to whoever asks for a page of it.

  const console = createStaticSite({
    path: '/console',
    files: consoleFiles,
    headers,
    headersOf: (name) => (name.startsWith(PROVER) ? proverHeaders : undefined),
    beside: (name) => proverFile(name, headers),
    absent: "This installation has the console, but it was not built. Run 'npm run build'.",
    refuse(request) {
      admit(request);
      return hasConsole(request) ? undefined : 'The console is not served here.';
    },
  });
  const docs = createStaticSite({
    path: '/docs',
    files: docsFiles,
    headers: pageHeaders(ownOriginOnly),
    absent: 'The documentation was not built for this installation.',
    refuse(request) {
      admit(request);
      return undefined;
    },
  });
  return {
    front: frontPage({
      version: VERSION,
      apiPath: basePaths(config.compatRoot).spec,
      hasConsole: async (request) => hasConsole(request) && (await consoleFiles) !== undefined,
      hasDocs: async () => (await docsFiles) !== undefined,
    }),
    pageUnder: (path) => console(path) ?? docs(path),
  };
}

/** The console with the settings of this server that a page needs before sign-in. They are not secret. */
async function readConsole(config: Config, folder: string): Promise<StaticFiles | undefined> {
  const files = await readOnce(folder);
  if (files === undefined) return undefined;
  const settings = {
    version: VERSION,
    // Below the address of the server, which may have a path that a proxy adds.
    apiPath: basePaths(config.compatRoot).spec,
    passkeyDomains: config.webauthnRpIds,
    explorerUrls: config.explorerUrls,
  };
  return new Map([...files, ['settings.json', staticFile('settings.json', Buffer.from(JSON.stringify(settings)))]]);
}
