import type { Diagnostic } from '../diagnostic.ts';
import type { Span } from '../syntax/span.ts';
import type { Normalizers } from './options.ts';

/** CAIP-19: `<namespace>:<chain>/<asset namespace>:<asset>`, and `/<token id>` for one token of a collection. */
const ASSET = /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32})\/([-a-z0-9]{3,8}):([-.%a-zA-Z0-9]{1,128})(\/[-.%a-zA-Z0-9]{1,78})?$/;

/**
 * The canonical form of an asset.
 * SECURITY: values have Ethereum addresses in lower case. A checksummed address would never match unless it is normalized.
 */
export function assetTexts(text: string, span: Span, normalizers: Normalizers): readonly string[] | Diagnostic {
  // An effect that has no asset has an empty one.
  if (text === '') return [text];
  const parts = ASSET.exec(text);
  if (parts === null) {
    const message = 'this is not the CAIP-19 name of an asset';
    const help = text.startsWith('0x') ? `write \`eip155:1/erc20:${text.slice(0, 42)}\`` : 'write it as `eip155:1/erc20:0x…`';
    return { code: 'INVALID_ASSET', span, message, help };
  }
  const [, namespace, chain, kind, reference = '', token = ''] = parts;
  if (namespace !== 'eip155' || kind === 'slip44') return [text];
  const normalize = normalizers.ethereum ?? ((address: string) => address.toLowerCase());
  const forms = /^0x/i.test(reference) ? normalize(reference) : undefined;
  const address = typeof forms === 'string' ? forms : forms?.at(-1);
  if (address === undefined)
    return { code: 'INVALID_ASSET', span, message: 'the address of this asset is not a valid ethereum address' };
  return [`${namespace}:${chain}/${kind}:${address}${token}`];
}
