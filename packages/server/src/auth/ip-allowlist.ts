import { ServiceError } from '@countersign/contract';
import { type IpAddress, showIpAddress } from '../network/ip-address.ts';
import { compileBlocks, type IpBlocks, parseCidr } from '../network/ip-blocks.ts';
import type { IpAllowlistRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { notFound } from '../wire/refuse.ts';

/** The lists of an organization, by the id of the organization or of an API key. */
export type IpAllowlists = ReadonlyMap<string, IpAllowlistRecord>;

/** A credential in use: its organization, its id and the address it is used from. The address is computed only if a list needs it. */
export interface UsedCredential {
  readonly organizationId: string;
  readonly credentialId: string;
  /** The credentials that a session rests on. */
  readonly openedBy?: readonly string[];
  /** Undefined if the address is unknown. */
  clientAddress(): IpAddress | undefined;
}

/** Records are immutable, and newer snapshots share them. So each list is compiled once. */
const compiled = new WeakMap<IpAllowlistRecord, IpBlocks>();

function blocksOf(list: IpAllowlistRecord): IpBlocks {
  const known = compiled.get(list);
  if (known !== undefined) return known;
  const blocks = compileBlocks(list.rules.map(({ cidr }) => parseCidr(cidr)));
  compiled.set(list, blocks);
  return blocks;
}

/**
 * Whether a credential may be used from its address. The key's own list decides if there is one, else the organization's list while it
 * is enabled. Without either, every address is allowed.
 * SECURITY: the list of a key also governs the sessions that the key opened. Otherwise one request from an allowed address would make a
 * credential that works everywhere.
 */
export function isAdmitted(
  lists: IpAllowlists,
  { organizationId, credentialId, openedBy = [], clientAddress }: UsedCredential,
): boolean {
  if (lists.size === 0) return true;
  const own = [credentialId, ...openedBy].map((id) => lists.get(id)).filter((list) => list !== undefined);
  const general = lists.get(organizationId);
  const governing = own.length === 0 && general?.enabled === true ? [general] : own;
  if (governing.length === 0) return true;
  const address = clientAddress();
  return governing.every((list) => (address === undefined ? list.onEvaluationError === 'ALLOW' : blocksOf(list).has(address)));
}

/**
 * Refuses a credential that is used from an address outside the lists of its organization.
 * SECURITY: the answer names the caller's own address, never the content of a list.
 */
export function requireAdmitted(lists: IpAllowlists, credential: UsedCredential): void {
  if (isAdmitted(lists, credential)) return;
  const address = credential.clientAddress();
  throw new ServiceError(
    'IP_NOT_ALLOWED',
    address === undefined
      ? 'The address of the caller is unknown, and the IP allowlist of this credential denies such requests. The operator can check what the proxy writes to X-Forwarded-For.'
      : `The address of the caller (${showIpAddress(address)}) is not on the IP allowlist of this credential. Call from an allowed address, or add this one with set_ip_allowlist.`,
  );
}

/** The id of a list: the id of the organization, or of the API key with this public key. */
export function listIdOf({ id, apiKeyByPublicKey }: Snapshot, publicKey: string | undefined): string {
  if (publicKey === undefined) return id;
  const apiKeyId = apiKeyByPublicKey.get(publicKey.toLowerCase());
  if (apiKeyId === undefined) throw notFound('API key', 'publicKey');
  return apiKeyId;
}
