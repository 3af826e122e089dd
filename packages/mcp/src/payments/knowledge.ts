import {
  type AddressFormatId,
  addressFormats,
  assetInfo,
  assetNames,
  type Chain,
  ChainError,
  canonicalAsset,
  chains,
  type TokenList,
  withOwnTokens,
} from '@countersign/chains';
import { type Client, items, type PageRequest } from '@countersign/client';
import type { Agent } from '../agent.ts';
import { Problem } from '../problem.ts';

export type WalletAccount = Awaited<ReturnType<Client['listWalletAccounts']>>['accounts'][number];
export type Contact = Awaited<ReturnType<Client['listContacts']>>['contacts'][number];

/** How many items a tool reads of a list. */
export const MAX_LISTED = 500;

/** The first items of a list up to a limit, and whether the list has more. */
export async function firstOf<T>(
  list: AsyncIterable<T>,
  limit = MAX_LISTED,
): Promise<{ readonly found: T[]; readonly hasMore: boolean }> {
  const found: T[] = [];
  for await (const item of list) {
    if (found.length === limit) return { found, hasMore: true };
    found.push(item);
  }
  return { found, hasMore: false };
}

/** The accounts of all wallets, each with its wallet. */
export function accountsOf({ client }: Agent): AsyncGenerator<WalletAccount> {
  const list = (page: PageRequest) => client.listWalletAccounts({ ...page, includeWalletDetails: true });
  return items(list, 'accounts', ({ walletAccountId }) => walletAccountId);
}

/** The chain whose transactions an account signs. */
export function chainOfFormat(format: string): Chain | undefined {
  return Object.values(chains).find(({ addresses }) => (addresses.formats as readonly string[]).includes(format));
}

/** The account with this address. Throws Problem. */
export async function requireAccount(agent: Agent, address: string): Promise<WalletAccount & { readonly chain: Chain }> {
  for await (const account of accountsOf(agent)) {
    const chain = chainOfFormat(account.addressFormat);
    if (chain !== undefined && sameAddress(account.address, address)) return { ...account, chain };
  }
  throw new Problem('ACCOUNT_NOT_FOUND', 'No account of the organization has this address.', 'Choose one of list_wallets.');
}

const sameAddress = (one: string, other: string) =>
  one === other || (other.startsWith('0x') && one.toLowerCase() === other.toLowerCase());

/** The address book. */
export async function contactsOf({ client }: Agent): Promise<readonly Contact[]> {
  return (
    await firstOf(
      items(client.listContacts, 'contacts', ({ contactId }) => contactId),
      10_000,
    )
  ).found;
}

/** Symbols and decimals, of the service first and then of the organization. */
export async function tokensOf({ client }: Agent): Promise<{ readonly list: TokenList; readonly all: readonly Token[] }> {
  const { tokens } = await client.listTokens();
  const own = new Map(tokens.filter(({ source }) => source === 'ORGANIZATION').map((token) => [token.asset, token]));
  return { list: withOwnTokens((id) => own.get(id)), all: tokens.filter(({ ignored }) => ignored === undefined) };
}

type Token = Awaited<ReturnType<Client['listTokens']>>['tokens'][number];

/** An asset with what is needed to pay it. */
export interface PayableAsset {
  readonly id: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly chain: Chain;
  /** CAIP-2. */
  readonly network: string;
}

/** The asset by its CAIP-19 name. Throws Problem unless its decimals are known. */
export function requireAsset(name: string, tokens: TokenList): PayableAsset {
  const id = canonicalAsset(name);
  if (id === undefined)
    throw new Problem('ASSET_INVALID', 'This is not the CAIP-19 name of an asset.', `Choose one of list_assets: ${assetNames}.`);
  const { symbol, decimals } = assetInfo(id, tokens) ?? {};
  const chain = Object.values(chains).find(({ assets }) => id.startsWith(`${assets.namespace}:`));
  if (symbol === undefined || decimals === undefined || chain === undefined)
    throw new Problem(
      'ASSET_UNKNOWN',
      'No token list names this asset.',
      'Choose one of list_assets, or ask an administrator to add it.',
    );
  return { id, symbol, decimals, chain, network: id.slice(0, id.indexOf('/')) };
}

/** A receiver, and the contact that the organization has for it. */
export interface Recipient {
  readonly address: string;
  readonly contact?: Contact;
}

/** Finds who is paid: the contact with this label or id, or an address of the chain. Throws Problem. */
export function requireRecipient(to: string, chain: Chain, contacts: readonly Contact[]): Recipient {
  const address = addressOn(chain, to);
  if (address !== undefined) {
    const contact = contacts.find((each) => addressOn(chain, each.address) === address);
    return { address, ...(contact && { contact }) };
  }
  const named = contacts.filter(({ contactId, label }) => contactId === to || label === to);
  const payable = named.flatMap((contact) => {
    const own = addressOn(chain, contact.address);
    return own === undefined ? [] : [{ address: own, contact }];
  });
  const [only] = payable;
  if (only !== undefined && payable.length === 1) return only;
  const message =
    payable.length > 1
      ? 'Several contacts have this label.'
      : 'No contact with this label or id has an address on this chain, and it is not an address of it.';
  throw new Problem(
    'RECIPIENT_NOT_FOUND',
    message,
    'Give the contact id of list_contacts, or a whole address with its checksum.',
  );
}

function addressOn(chain: Chain, text: string): string | undefined {
  for (const format of chain.addresses.formats as readonly AddressFormatId[]) {
    try {
      return addressFormats[format].normalize(text);
    } catch (error) {
      // Not in this format. The next one may read it.
      if (!(error instanceof ChainError)) throw error;
    }
  }
  return undefined;
}
