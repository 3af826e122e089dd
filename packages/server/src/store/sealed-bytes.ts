import { insertedOrganizations } from './commit-rules.ts';
import type { Commit } from './store.ts';

/** The first byte of bytes that name the generation of their data key. Others were sealed under generation 0. */
const WITH_GENERATION = 2;
const HEADER_BYTES = 5;

/** The generation of the data key that sealed the bytes, if its header is right. */
export function generationOf(sealed: Uint8Array): number {
  if (sealed[0] !== WITH_GENERATION || sealed.length < HEADER_BYTES) return 0;
  return new DataView(sealed.buffer, sealed.byteOffset, sealed.length).getUint32(1);
}

/** Adds the header of a generation. Bytes of generation 0 have none. */
export function withGeneration(generation: number, sealed: Uint8Array): Uint8Array {
  if (generation === 0) return sealed;
  const header = new Uint8Array(HEADER_BYTES + sealed.length);
  header[0] = WITH_GENERATION;
  new DataView(header.buffer).setUint32(1, generation);
  header.set(sealed, HEADER_BYTES);
  return header;
}

/** The bytes without their header. */
export function withoutGeneration(sealed: Uint8Array): Uint8Array {
  return sealed[0] === WITH_GENERATION && sealed.length >= HEADER_BYTES ? sealed.subarray(HEADER_BYTES) : sealed;
}

/** The setting that exists from the moment when a root key may wrap no more keys. */
export const rotationSetting = (rootKeyId: string) => `vault.rotation.${rootKeyId}`;

/** What a commit assumes about keys. */
export interface UsedKeys {
  /** The generation of the data key of each organization that the commit stores secrets of. */
  readonly generations: ReadonlyMap<string, number>;
  /** The settings of which none may exist. */
  readonly rotations: readonly string[];
}

/** Undefined if the commit stores nothing that is encrypted. INVARIANT: all secrets of an organization in one commit are of one generation. */
export function usedKeys(commit: Commit): UsedKeys | undefined {
  const { writes } = commit;
  if (writes.length === 0) return undefined;
  const inserted = insertedOrganizations(commit);
  const generations = new Map<string, number>();
  const rotations = new Set<string>();
  for (const write of writes) {
    if (write.op !== 'put') continue;
    if (write.table === 'data_keys') rotations.add(rotationSetting(write.row.rootKeyId));
    if ((write.table === 'secrets' || write.table === 'outbox') && !inserted.includes(write.row.organizationId)) {
      const { organizationId, ciphertext } = write.row;
      // An older one decides: then the commit is rejected.
      const generation = Math.min(generationOf(ciphertext), generations.get(organizationId) ?? Number.POSITIVE_INFINITY);
      generations.set(organizationId, generation);
    }
  }
  return generations.size === 0 && rotations.size === 0 ? undefined : { generations, rotations: [...rotations] };
}
