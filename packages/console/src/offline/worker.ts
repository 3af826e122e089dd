import { noticeOf } from './notices.ts';
import { isNavigationHome, requestedFile } from './requested-file.ts';

/** Set by the build: all files of the console, and a version of exactly these files. */
declare const CONSOLE_FILES: readonly string[];
declare const CONSOLE_VERSION: string;

interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

interface PushEvent extends LastingEvent {
  readonly data: { text(): string } | null;
}

interface ClickEvent extends LastingEvent {
  readonly notification: { readonly data: unknown; close(): void };
}

interface OpenWindow {
  readonly url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}

/** Global scope of a service worker. The DOM types describe only pages. */
interface WorkerScope {
  readonly registration: {
    readonly scope: string;
    showNotification(title: string, options: NotificationOptions & { readonly renotify: boolean }): Promise<void>;
  };
  readonly navigator: { setAppBadge?(count: number): Promise<void> };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: 'window' }): Promise<readonly OpenWindow[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LastingEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: ClickEvent) => void): void;
}

const worker = self as unknown as WorkerScope;
const PREFIX = 'countersign-console-';
const cacheName = PREFIX + CONSOLE_VERSION;
const HOME = 'index.html';

worker.addEventListener('install', (event) => event.waitUntil(keepFiles()));
worker.addEventListener('activate', (event) => event.waitUntil(takeOver()));

/**
 * SECURITY: D222: this worker serves only the console's own files. API responses are never cached. With a network, however slow, the page
 * comes from the service, so that no old console outlives an update. The other files have content hashes in their names.
 */
worker.addEventListener('fetch', (event) => {
  const { scope } = worker.registration;
  if (isNavigationHome(event.request, scope)) event.respondWith(home(event.request));
  else {
    const name = requestedFile(event.request, scope);
    if (name !== undefined && name !== HOME && CONSOLE_FILES.includes(name)) event.respondWith(kept(name, event.request));
  }
});

worker.addEventListener('push', (event) => {
  const { title, body, tag, page, badge } = noticeOf(event.data?.text());
  event.waitUntil(worker.registration.showNotification(title, { body, tag, renotify: true, data: page }));
  // Platforms without badges, and those that do not allow one, reject it.
  if (badge !== undefined) event.waitUntil(worker.navigator.setAppBadge?.(badge).catch(() => undefined) ?? Promise.resolve());
});

/** SECURITY: A83: a click only opens a page. Approval needs a passkey there. */
worker.addEventListener('notificationclick', (event) => {
  const { notification } = event;
  notification.close();
  event.waitUntil(openPage(String(notification.data)));
});

/** Opens a page of the console in an existing or a new window. */
async function openPage(page: string): Promise<void> {
  const { scope } = worker.registration;
  const url = new URL(page, scope).href;
  const windows = await worker.clients.matchAll({ type: 'window' });
  const open = windows.find((window) => isNavigationHome({ url: window.url, method: 'GET', mode: 'navigate' }, scope));
  if (open === undefined) return void (await worker.clients.openWindow(url));
  await open.navigate(url);
  // The browser may reject the focus.
  await open.focus().catch(() => undefined);
}

async function keepFiles(): Promise<void> {
  const cache = await caches.open(cacheName);
  // The HTTP cache already contains most of them.
  await cache.addAll(CONSOLE_FILES.map((name) => new Request(addressOf(name), { cache: name === HOME ? 'reload' : 'default' })));
  await worker.skipWaiting();
}

async function takeOver(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== cacheName).map((name) => caches.delete(name)));
  await worker.clients.claim();
}

const addressOf = (name: string) => new URL(name, worker.registration.scope).href;

/** SECURITY: D222: no timeout. An attacker who delays the response must not be able to choose an outdated page. */
async function home(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const copy = await (await caches.open(cacheName)).match(addressOf(HOME));
    if (copy === undefined) throw error;
    return copy;
  }
}

async function kept(name: string, request: Request): Promise<Response> {
  return (await (await caches.open(cacheName)).match(addressOf(name))) ?? fetch(request);
}
