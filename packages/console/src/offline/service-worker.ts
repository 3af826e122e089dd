/** Trusted Types, as far as this page uses them. The address of a worker is one. */
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
 * The address of the worker, in the form that the Content-Security-Policy asks for.
 * SECURITY: the one policy of this page names the one script that may become a worker.
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
    // The browser takes the object itself. The types of `register` do not know it yet.
    workerUrl = (policy?.createScriptURL(url) ?? url) as unknown as string;
  }
  return workerUrl;
}

/** Keeps the files of the console in this browser, so that it opens without a network. Somebody is signed in. */
export async function installWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register(trustedWorkerUrl(), { updateViaCache: 'none' });
  } catch {
    // A browser may forbid it, for example in private windows. The console then needs a network to open, as any page.
  }
}

/**
 * Lets go of everything that was kept. Nobody is signed in. A session that merely ran out (`lapsed`) leaves the worker of a browser that
 * is told of approvals: its person wants to hear of them then, too. Signing out ends that.
 */
export async function removeWorker({ lapsed }: { readonly lapsed: boolean }): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration(document.baseURI);
  const subscription = await registration?.pushManager?.getSubscription();
  if (lapsed && subscription) return;
  // The push service answers from now on that nobody is there, and the service forgets this browser.
  await subscription?.unsubscribe().catch(() => false);
  await registration?.unregister();
  for (const name of await caches.keys()) if (name.startsWith(PREFIX)) await caches.delete(name);
}
