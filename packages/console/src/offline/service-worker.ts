import { trustedScriptUrl } from './trusted-script.ts';

const PREFIX = 'countersign-console-';

/** Installs the service worker after sign-in, so that the console opens offline. */
export async function installWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(trustedScriptUrl('worker.js'), { updateViaCache: 'none' });
  } catch {
    // A browser may forbid it, for example in private windows. The console then needs a network.
  }
}

/**
 * Removes the service worker and its caches when no one is signed in. After an expired session (`lapsed`), keeps the worker of a browser
 * that is subscribed to notifications. Signing out removes it.
 */
export async function removeWorker({ lapsed }: { readonly lapsed: boolean }): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration(document.baseURI);
  const subscription = await registration?.pushManager?.getSubscription();
  if (lapsed && subscription) return;
  // The push service then reports the subscription as gone, and the service deletes it.
  await subscription?.unsubscribe().catch(() => false);
  await registration?.unregister();
  for (const name of await caches.keys()) if (name.startsWith(PREFIX)) await caches.delete(name);
}
