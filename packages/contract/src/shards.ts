/** The largest number of a shard. */
export const MAX_SHARD = 0xffff;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Characters of a UUID before the check, and before the number of the shard. */
const CHECKED = 32;
const RANDOM = 28;

/**
 * The shard that an organization's id names. Undefined if it names none: the organization is in shard 0.
 * SECURITY: this chooses where to send a request. It proves nothing, because anyone can write such an id.
 */
export function shardIn(organizationId: string): number | undefined {
  const id = organizationId.toLowerCase();
  if (!UUID.test(id) || id.slice(CHECKED) !== checkOf(id.slice(0, CHECKED))) return undefined;
  const shard = Number.parseInt(id.slice(RANDOM, CHECKED), 16);
  return shard === 0 ? undefined : shard;
}

/** Replaces the last 32 bits of a UUID, which are random in version 7, with a shard's number, from 1, and its check. */
export function withShard(uuid: string, shard: number): string {
  if (!UUID.test(uuid)) throw new TypeError('the id is not a lower-case UUID');
  if (!Number.isInteger(shard) || shard < 1 || shard > MAX_SHARD)
    throw new RangeError(`a shard is a number from 1 to ${MAX_SHARD}`);
  const checked = `${uuid.slice(0, RANDOM)}${shard.toString(16).padStart(4, '0')}`;
  return `${checked}${checkOf(checked)}`;
}

/** FNV-1a with 32 bits, folded to 16. It tells marked ids from others, and protects nothing. */
function checkOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (((hash >>> 16) ^ hash) & 0xffff).toString(16).padStart(4, '0');
}
