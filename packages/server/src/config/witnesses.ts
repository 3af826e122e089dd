import { cosignatureVerifier, parseVerifierKey, TlogError, type VerifierKey } from '@countersign/tlog';
import { z } from 'zod';

/** A witness that cosigns the checkpoints of this installation's log. */
export interface WitnessSetting {
  /** The submission prefix, without a trailing slash. */
  readonly url: string;
  readonly key: VerifierKey;
}

/** Witnesses as `<address>#<verifier key>`, comma-separated. */
export const witnesses = z.string().transform((text, context): readonly WitnessSetting[] => {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  try {
    const parsed = items.map(parseWitness);
    // SECURITY: one witness counts once, even with several addresses.
    if (new Set(parsed.map(({ key }) => key.name)).size === parsed.length) return parsed;
    throw new TlogError('two witnesses have the same name');
  } catch (error) {
    if (!(error instanceof TlogError)) throw error;
    context.addIssue({ code: 'custom', message: `must be <address>#<key of the witness>, comma-separated: ${error.message}` });
    return z.NEVER;
  }
});

function parseWitness(item: string): WitnessSetting {
  const [, address = '', keyText = ''] = /^([^#]+)#(.+)$/.exec(item) ?? [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '' && url.search === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol))
    throw new TlogError('an address starts with http:// or https:// and has no user and no query');
  const key = parseVerifierKey(keyText);
  cosignatureVerifier(key);
  return { url: url.href.replace(/\/+$/, ''), key };
}
