/** The part of the Trusted Types API that this page uses. */
interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): { toString(): string } };
}

const WORKER = 'worker.js';
const PREFIX = 'countersign-console-';
let workerUrl: string | undefined;

/**
 * The trusted URL of the worker, as the Content-Security-Policy requires.
 * SECURITY: the only Trusted Types policy of this page allows only this script as a worker.
 */
function trustedWorkerUrl(): string {
  const url = new URL(WORKER, document.baseURI).href;
  if (workerUrl === undefined) {
    const factory = (window as { trustedTypes?: TrustedTypePolicyFactory }).trustedTypes;
    const policy = factory?.createPolicy('countersign', {
      createScriptURL(address) {
        if (address !== url) throw new TypeError(`only ${WORKER} may become a worker`);
        return address;
      },
    });
    // The browser accepts the object. The types of `register` do not include it yet.
    workerUrl = (policy?.createScriptURL(url) ?? url) as unknown as string;
  }
  return workerUrl;
}

/** Installs the service worker after sign-in, so that the console opens offline. */
export async function installWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(trustedWorkerUrl(), { updateViaCache: 'none' });
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
