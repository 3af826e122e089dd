/** The part of the Trusted Types API that this page uses. */
interface TrustedTypePolicyFactory {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): { toString(): string } };
}

/** The scripts that may become a worker: the service worker, and the prover of policies. */
const scripts = ['worker.js', 'prover/worker.js'] as const;
const addressOf = (name: string) => new URL(name, document.baseURI).href;

let policy: ReturnType<TrustedTypePolicyFactory['createPolicy']> | undefined;

/**
 * The trusted URL of a worker, as the Content-Security-Policy requires.
 * SECURITY: the only Trusted Types policy of this page allows only these scripts as workers.
 */
export function trustedScriptUrl(name: (typeof scripts)[number]): string {
  const url = addressOf(name);
  policy ??= (window as { trustedTypes?: TrustedTypePolicyFactory }).trustedTypes?.createPolicy('countersign', {
    createScriptURL(address) {
      if (!scripts.some((each) => addressOf(each) === address))
        throw new TypeError(`only ${scripts.join(' and ')} may become workers`);
      return address;
    },
  });
  // The browser accepts the object. The types of `register` and `Worker` do not include it yet.
  return (policy?.createScriptURL(url) ?? url) as unknown as string;
}
