import { canonicalAddress } from '@countersign/chains';
import { queries } from '@countersign/contract';
import { hexQuantity } from '../../chain-nodes/quantities.ts';
import { resolve } from '../../pipeline/query.ts';
import { invalidField, notFound } from '../../wire/refuse.ts';
import { canonicalChain, chainEntry, ownAccount } from './caip2.ts';

export const getNonces = resolve(
  queries.getNonces,
  async (context, { address, caip2, nonce = false, gasStationNonce = false }) => {
    const chain = canonicalChain(caip2);
    const entry = chainEntry(chain);
    if (entry.id !== 'ethereum') throw invalidField('caip2', 'must be an EVM chain: others have no nonces');
    if (gasStationNonce) throw invalidField('gasStationNonce', 'must be false: this server sponsors no gas');
    const reader = context.chainReader(chain);
    const owned = (await ownAccount(context, entry, address))?.address ?? (await privateKeyAddress(context, address));
    if (!nonce) return {};
    const params = [owned, 'latest'];
    const next = await reader.agree({ method: 'eth_getTransactionCount', params, result: hexQuantity });
    return { nonce: next.toString() };
  },
);

/** The address as the private key has it. */
async function privateKeyAddress(
  { resources, organization }: Parameters<typeof ownAccount>[0],
  address: string,
): Promise<string> {
  const wanted = canonicalAddress(address);
  for (const id of await resources.find(organization.id, 'address', wanted)) {
    const key = await resources.get(organization.id, 'privateKey', id);
    const own = key?.body.addresses.find((each) => canonicalAddress(each.address) === wanted);
    if (own !== undefined) return own.address;
  }
  throw notFound('account or private key with this address', 'address');
}
