import { ServiceError } from '@countersign/contract';
import { type IpAddress, showIpAddress } from '../network/ip-address.ts';
import { compileBlocks, type IpBlocks, parseCidr } from '../network/ip-blocks.ts';
import type { IpAllowlistRecord } from '../organizations/records.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import { notFound } from '../wire/refuse.ts';

/** The lists of an organization, by the id of the organization or of an API key. */
export type IpAllowlists = ReadonlyMap<string, IpAllowlistRecord>;

/** A credential in use: whose it is, which one, and where from. The address is worked out only where a list asks for it. */
export interface UsedCredential {
  readonly organizationId: string;
  readonly credentialId: string;
  /** Undefined where the address cannot be told. */
  clientAddress(): IpAddress | undefined;
}

/** Records are immutable, and newer snapshots share them: a list is compiled once however often it is asked. */
const compiled = new WeakMap<IpAllowlistRecord, IpBlocks>();

function blocksOf(list: IpAllowlistRecord): IpBlocks {
  const known = compiled.get(list);
  if (known !== undefined) return known;
  const blocks = compileBlocks(list.rules.map(({ cidr }) => parseCidr(cidr)));
  compiled.set(list, blocks);
  return blocks;
}

/**
 * Whether lists let a credential be used from its address: by the key's own list where it has one, else by the organization's while
 * that is enabled, else from anywhere.
 */
export function isAdmitted(lists: IpAllowlists, { organizationId, credentialId, clientAddress }: UsedCredential): boolean {
  if (lists.size === 0) return true;
  const general = lists.get(organizationId);
  const list = lists.get(credentialId) ?? (general?.enabled === true ? general : undefined);
  if (list === undefined) return true;
  const address = clientAddress();
  return address === undefined ? list.onEvaluationError === 'ALLOW' : blocksOf(list).has(address);
}

/**
 * Refuses a credential at an address that the lists of its organization do not have.
 * SECURITY: the answer names the address that was seen, never what is on the list.
 */
export function requireAdmitted(lists: IpAllowlists, credential: UsedCredential): void {
  if (isAdmitted(lists, credential)) return;
  const address = credential.clientAddress();
  throw new ServiceError(
    'IP_NOT_ALLOWED',
    address === undefined
      ? 'The address that this request comes from cannot be told, and the IP allowlist of this credential refuses such requests. The operator finds the cause in what the proxy writes into X-Forwarded-For.'
      : `The address that this request comes from (${showIpAddress(address)}) is not on the IP allowlist of this credential. Call from an allowed address, or have this one added with set_ip_allowlist.`,
  );
}

/** The id of the list that is meant: that of the organization, or of the API key with this public key. */
export function listIdOf({ id, apiKeyByPublicKey }: Snapshot, publicKey: string | undefined): string {
  if (publicKey === undefined) return id;
  const apiKeyId = apiKeyByPublicKey.get(publicKey.toLowerCase());
  if (apiKeyId === undefined) throw notFound('API key', 'publicKey');
  return apiKeyId;
}
