import { installWorker } from './service-worker.ts';

/** Whether this browser supports notifications and the user allows them. `notInstalled`: it supports them for installed apps only. */
export type PushSupport = 'unsupported' | 'notInstalled' | 'denied' | 'possible';

export function pushSupport(): PushSupport {
  if (!('serviceWorker' in navigator) || !('PushManager' in window) || !('Notification' in window))
    return isAppleTab() ? 'notInstalled' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : 'possible';
}

/** Whether this is a browser tab of iOS or iPadOS, where only apps on the home screen receive push messages. */
function isAppleTab(): boolean {
  const { userAgent, maxTouchPoints } = navigator;
  // iPadOS presents itself as macOS, which has no touch screen.
  const isApple = /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && maxTouchPoints > 1);
  return isApple && !matchMedia('(display-mode: standalone)').matches;
}

/** The service worker. Undefined if the browser allows none, for example in private windows. */
async function registered(): Promise<ServiceWorkerRegistration | undefined> {
  const known = await navigator.serviceWorker.getRegistration(document.baseURI);
  if (known !== undefined) return known;
  await installWorker();
  return navigator.serviceWorker.getRegistration(document.baseURI);
}

/** SHA-256 of the push endpoint of this browser. Undefined if it is not subscribed. */
export async function ownDigest(): Promise<string | undefined> {
  if (pushSupport() === 'unsupported') return undefined;
  const registration = await navigator.serviceWorker.getRegistration(document.baseURI);
  const subscription = await registration?.pushManager.getSubscription();
  if (!subscription) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(subscription.endpoint));
  return toBase64url(new Uint8Array(digest));
}

/** Push subscription of this browser. */
export interface OwnSubscription {
  readonly name: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Requests permission and subscribes this browser. Undefined if the person or the browser declines. */
export async function subscribeBrowser(applicationServerKey: string): Promise<OwnSubscription | undefined> {
  if ((await Notification.requestPermission()) !== 'granted') return undefined;
  const manager = (await registered())?.pushManager;
  if (manager === undefined) return undefined;
  await dropForeign(manager, applicationServerKey);
  const subscription = await manager.subscribe({ userVisibleOnly: true, applicationServerKey });
  const { endpoint, keys } = subscription.toJSON();
  if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined) return undefined;
  return { name: browserName(navigator.userAgent), endpoint, p256dh: keys.p256dh, auth: keys.auth };
}

/** Removes a subscription with the key of an earlier installation, which this service could not use. */
async function dropForeign(manager: PushManager, applicationServerKey: string): Promise<void> {
  const earlier = await manager.getSubscription();
  const key = earlier?.options.applicationServerKey;
  if (earlier && (!key || toBase64url(new Uint8Array(key)) !== applicationServerKey)) await earlier.unsubscribe();
}

const browsers = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' } as const;
const systems = { Android: 'Android', iPhone: 'iPhone', iPad: 'iPad', Windows: 'Windows', Mac: 'macOS', Linux: 'Linux' } as const;

/** Display name of a browser. */
export function browserName(userAgent: string): string {
  const found = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser = 'Browser', system] = [found(browsers), found(systems)];
  return system === undefined ? browser : `${browser}, ${system}`;
}

function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
