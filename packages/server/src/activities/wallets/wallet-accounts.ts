import type { Resource } from '../../organizations/records.ts';
import type { Resources } from '../../organizations/snapshot/resources.ts';

const PAGE = 1000;

/** Reads all accounts of a wallet. */
export async function accountsOfWallet(
  resources: Resources,
  organizationId: string,
  walletId: string,
): Promise<Resource<'walletAccount'>[]> {
  const accounts: Resource<'walletAccount'>[] = [];
  for (;;) {
    const after = accounts.at(-1)?.id;
    const page = { limit: PAGE, ...(after !== undefined && { after }) };
    const found = await resources.page(organizationId, 'walletAccount', page, walletId);
    accounts.push(...found);
    if (found.length < PAGE) return accounts;
  }
}
