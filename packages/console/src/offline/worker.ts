import { fileAsked, isNavigationHome } from './asked.ts';

/** Set by the build: every file of the console, below its folder, and a name for exactly these files. */
declare const CONSOLE_FILES: readonly string[];
declare const CONSOLE_VERSION: string;

interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** What a service worker has around it. The types of the browser are those of pages. */
interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LastingEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
}

const worker = self as unknown as WorkerScope;
const PREFIX = 'countersign-console-';
const cacheName = PREFIX + CONSOLE_VERSION;
const HOME = 'index.html';
/** A network that takes longer than this to give the page counts as none. */
const PATIENCE_MS = 5_000;

worker.addEventListener('install', (event) => event.waitUntil(keepFiles()));
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));

/**
 * SECURITY: D222: this worker answers for the console's own files alone. Answers of the API are never kept, and where there is a network the
 * page itself comes from it, so that no old console outlives an update. The other files are named by their content.
 */
worker.addEventListener('fetch', (event) => {
  const { scope } = worker.registration;
  if (isNavigationHome(event.request, scope)) event.respondWith(home(event.request));
  else {
    const name = fileAsked(event.request, scope);
    if (name !== undefined && name !== HOME && CONSOLE_FILES.includes(name)) event.respondWith(kept(name, event.request));
  }
});

async function keepFiles(): Promise<void> {
  const cache = await caches.open(cacheName);
  // The browser has most of them already, by the same name.
  await cache.addAll(CONSOLE_FILES.map((name) => new Request(addressOf(name), { cache: name === HOME ? 'reload' : 'default' })));
  await worker.skipWaiting();
}

async function takeOver(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== cacheName).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

const addressOf = (name: string) => new URL(name, worker.registration.scope).href;

async function home(request: Request): Promise<Response> {
  const keep = async () => (await caches.open(cacheName)).match(addressOf(HOME));
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS, undefined));
  const network = fetch(request);
  try {
    // Without a copy there is nothing to give but what the network has.
    return (await Promise.race([network, late])) ?? (await keep()) ?? (await network);
  } catch (error) {
    const copy = await keep();
    if (copy === undefined) throw error;
    return copy;
  }
}

async function kept(name: string, request: Request): Promise<Response> {
  return (await (await caches.open(cacheName)).match(addressOf(name))) ?? fetch(request);
}
