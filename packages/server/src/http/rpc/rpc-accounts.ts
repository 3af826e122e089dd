import { normalizeEthereumAddress, toChecksumAddress } from '@countersign/chains';
import { ServiceError } from '@countersign/contract';
import type { SigningKey } from '../../organizations/snapshot/signing-keys.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PipelineServices } from '../../pipeline/services.ts';
import type { RpcOperation } from '../../vault/keys/rpc-key.ts';
import { wrongParams } from './rpc-error.ts';

/** A key to sign with. */
export interface RpcAccount {
  /** As activities name it. */
  readonly signWith: string;
  /** With checksum. */
  readonly address: string;
}

const FORMAT = 'ADDRESS_FORMAT_ETHEREUM';
const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** Pages of accounts that `eth_accounts` returns, 100 each. */
const MAX_PAGES = 10;

export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}

function readAddress(text: unknown, name: string): string {
  const address = isAddress(text) ? normalizeEthereumAddress(text) : undefined;
  if (address !== undefined) return toChecksumAddress(address);
  throw wrongParams(`"${name}" must be an address: 0x and 40 hexadecimal digits, with a correct checksum if it has one.`);
}

function ethereumAddressOf({ kind, body }: SigningKey): string | undefined {
  if (kind === 'walletAccount') return body.addressFormat === FORMAT ? body.address : undefined;
  return body.addresses.find(({ format }) => format === FORMAT)?.address;
}

type Resources = PipelineServices['organizations']['resources'];

/** The key of a path. Undefined for a wallet. Throws NOT_FOUND for what the organization does not have. */
async function keyOf(resources: Resources, organization: Snapshot, key: string): Promise<SigningKey | undefined> {
  if (!isAddress(key) && (await resources.get(organization.id, 'wallet', key)) !== undefined) return undefined;
  try {
    return await resources.signingKey(organization, isAddress(key) ? readAddress(key, 'the address in the path') : key);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'SIGN_WITH_NOT_FOUND') throw error;
    throw new ServiceError('NOT_FOUND', 'The path names no wallet, private key, account or address of the organization.', {
      cause: error,
    });
  }
}

/**
 * The account of a path that a call names with `from`. If the path names one key, `from` may be absent.
 * SECURITY: D785: a call signs with keys of its path only, also if policies let the user sign with other keys.
 */
export async function accountOf(
  resources: Resources,
  organization: Snapshot,
  path: string,
  from: unknown,
  name: string,
): Promise<RpcAccount> {
  const wanted = from === undefined || from === null ? undefined : readAddress(from, name);
  const key = await keyOf(resources, organization, path);
  if (key === undefined) {
    if (wanted === undefined) throw wrongParams(`"${name}" is missing. The path names a wallet, so name the account.`);
    const account = await resources.signingKey(organization, wanted).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'SIGN_WITH_NOT_FOUND') return undefined;
      throw error;
    });
    if (account?.kind !== 'walletAccount' || account.body.walletId !== path) throw notHere(name);
    return { signWith: wanted, address: wanted };
  }
  const address = ethereumAddressOf(key);
  if (address === undefined) throw wrongParams('The key in the path has no Ethereum address.');
  if (wanted !== undefined && wanted !== address) throw notHere(name);
  return { signWith: key.kind === 'privateKey' ? key.id : address, address };
}

function notHere(name: string) {
  return wrongParams(`"${name}" is not an account of the wallet or key in the path.`);
}

type Query = Extract<RpcOperation, { readonly query: unknown }>;
export type AskQuery = (query: Query['query'], parameters: Query['parameters']) => Promise<unknown>;

/** The Ethereum addresses of a path, oldest first. The queries that they come from are authorized for the user. */
export async function addressesOf(
  resources: Resources,
  organization: Snapshot,
  path: string,
  ask: AskQuery,
): Promise<readonly string[]> {
  const key = await keyOf(resources, organization, path);
  if (key?.kind === 'privateKey') {
    const { privateKey } = (await ask('getPrivateKey', { privateKeyId: key.id })) as PrivateKeyAnswer;
    return unique(privateKey.addresses.filter(({ format }) => format === FORMAT).map(({ address }) => address));
  }
  if (key !== undefined) {
    const { walletId, address } = key.body;
    const { account } = (await ask('getWalletAccount', { walletId, address })) as { readonly account: AccountAnswer };
    return account.addressFormat === FORMAT ? [account.address] : [];
  }
  const found: AccountAnswer[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const last = found.at(-1)?.walletAccountId;
    const paginationOptions = { limit: '100', ...(last && { after: last }) };
    const { accounts } = (await ask('listWalletAccounts', { walletId: path, paginationOptions })) as ListAnswer;
    found.push(...accounts);
    if (accounts.length < 100) break;
  }
  const addresses = found.filter(({ addressFormat }) => addressFormat === FORMAT).map(({ address }) => address);
  return unique(addresses.reverse());
}

interface AccountAnswer {
  readonly walletAccountId: string;
  readonly address: string;
  readonly addressFormat: string;
}
interface ListAnswer {
  readonly accounts: readonly AccountAnswer[];
}
interface PrivateKeyAnswer {
  readonly privateKey: { readonly addresses: readonly { readonly format: string; readonly address: string }[] };
}

const unique = (addresses: readonly string[]) => [...new Set(addresses)];
