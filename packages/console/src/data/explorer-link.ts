/** A hash of any chain: hexadecimal or base58. */
const hashForm = /^[0-9A-Za-z]{32,128}$/;

/**
 * The page of an explorer about a transaction. Undefined if the operator names no explorer of the chain.
 * SECURITY: D980: an answer of the service chooses neither the scheme nor the host: only https, and one hash in the place for it.
 */
export function explorerLink(templates: Readonly<Record<string, string>>, chain: unknown, hash: string): string | undefined {
  if (typeof chain !== 'string' || !Object.hasOwn(templates, chain) || !hashForm.test(hash)) return undefined;
  const template = templates[chain] ?? '';
  return template.startsWith('https://') ? template.replace('{hash}', encodeURIComponent(hash)) : undefined;
}

interface Chained {
  readonly intent: Readonly<Record<string, unknown>>;
  readonly parsed?:
    | { readonly effects: readonly { readonly kind: string; readonly asset?: { readonly id: string } | undefined }[] }
    | undefined;
}

/** The CAIP-2 name of the chain of a transaction: the requested one, or that of the coin which pays its fee. */
export function chainOf({ intent, parsed }: Chained): string | undefined {
  const [{ caip2 } = {}] = Object.values(intent) as { readonly caip2?: unknown }[];
  if (typeof caip2 === 'string') return caip2;
  return parsed?.effects.find(({ kind }) => kind === 'FEE')?.asset?.id.split('/')[0];
}
