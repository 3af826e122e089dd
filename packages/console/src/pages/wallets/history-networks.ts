import { networks } from '../../data/networks.ts';

/** The CAIP-2 namespace of an account whose past nodes can list, by the format of its address. */
const namespaces: Readonly<Record<string, string>> = { ADDRESS_FORMAT_ETHEREUM: 'eip155', ADDRESS_FORMAT_SOLANA: 'solana' };

/** The networks on which nodes can list the past of an account. Empty if they have no such list. */
export function historyNetworks(addressFormat: string): readonly string[] {
  const namespace = Object.hasOwn(namespaces, addressFormat) ? namespaces[addressFormat] : undefined;
  return namespace === undefined ? [] : Object.keys(networks).filter((caip2) => caip2.startsWith(`${namespace}:`));
}
