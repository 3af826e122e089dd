import { addressFormats, type Curve, encodeAddress } from '@countersign/chains';
import type { PrivateKeyParams } from '@countersign/contract';
import { createSlices, mapInSlices } from '../../admission/index.ts';
import { requireVisible } from '../../organizations/names.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import type { Snapshot } from '../../organizations/snapshot/snapshot.ts';
import type { PlanContext, RunContext } from '../../pipeline/plan/executor.ts';
import { firstRepeated, invalidField, limitExceeded, nameTaken, notFound, requireDistinct } from '../../wire/refuse.ts';
import { requireTags } from '../tags.ts';

/**
 * Rejects invalid private keys: duplicate names, tags that `organization` does not have, and address formats that are duplicates or of
 * another curve. Without `organization` (it does not exist yet), there are no tags.
 */
export function requirePrivateKeys(keys: readonly PrivateKeyParams[], organization?: Snapshot): void {
  const repeated = firstRepeated(keys.map((key) => key.privateKeyName));
  if (repeated !== undefined) throw nameTaken('private key', `privateKeys.${repeated}.privateKeyName`);
  for (const [index, key] of keys.entries()) {
    requireVisible(key.privateKeyName, `privateKeys.${index}.privateKeyName`);
    const tagField = `privateKeys.${index}.privateKeyTags`;
    if (organization !== undefined) requireTags(organization, 'privateKeyTag', key.privateKeyTags, tagField);
    else if (key.privateKeyTags.length > 0) throw notFound('private key tag', `${tagField}.0`);
    requireAddressFormats(key, `privateKeys.${index}.addressFormats`);
  }
}

/** Rejects duplicate address formats and those of another curve. `field` is the path of the list in the parameters. */
export function requireAddressFormats(
  { addressFormats: formats, curve }: Pick<PrivateKeyParams, 'addressFormats' | 'curve'>,
  field: string,
) {
  requireDistinct(formats, 'format', field);
  for (const [position, format] of formats.entries()) requireCurve(format, curve, `${field}.${position}`);
}

/** Rejects private keys if the limit is reached, or if a name is taken. `fieldOf` returns the path of the name at an index. */
export async function requireRoomForPrivateKeys(
  { organization, resources, limits }: PlanContext,
  names: readonly string[],
  fieldOf: (index: number) => string,
): Promise<void> {
  const held = organization.keyCounts.privateKey ?? 0;
  if (held + names.length > limits.maxPrivateKeys) throw limitExceeded('private keys', limits.maxPrivateKeys, 'maxPrivateKeys');
  for (const [index, name] of names.entries()) {
    requireVisible(name, fieldOf(index));
    const [taken] = await resources.find(organization.id, 'privateKeyName', name);
    if (taken !== undefined) throw nameTaken('private key', fieldOf(index));
  }
}

/** Rejects an address format that does not support keys of this curve. */
export function requireCurve(format: keyof typeof addressFormats, curve: Curve, field: string): void {
  const { curves } = addressFormats[format];
  if (!curves.includes(curve))
    throw invalidField(field, `invalid curve: ${format} needs a ${curves.join(' or ')} key, this one is ${curve}`);
}

/**
 * Generates private keys. Returns the changes and the results for the caller.
 * SECURITY: D249: runs in slices, one per key and address. A hundred keys with their addresses take 200 ms.
 */
export async function generatePrivateKeys(
  context: Pick<RunContext, 'organization' | 'vault' | 'newId' | 'nowMs'>,
  organizationId: string,
  keys: readonly PrivateKeyParams[],
) {
  const recorded = await mapInSlices(keys, createSlices(context.organization.id), async (key) => {
    const privateKeyId = context.newId();
    const { publicKey, ciphertext } = await context.vault.keys.generatePrivateKey(organizationId, privateKeyId, key.curve);
    return recordPrivateKey(context, { ...key, privateKeyId, imported: false }, ciphertext, publicKey);
  });
  return { changes: recorded.flatMap(({ changes }) => changes), results: recorded.map(({ result }) => result) };
}

/** Returns the changes that record a generated or imported private key, and the result for the caller. */
export async function recordPrivateKey(
  { organization, nowMs }: Pick<RunContext, 'organization' | 'nowMs'>,
  key: PrivateKeyParams & { readonly privateKeyId: string; readonly imported: boolean },
  ciphertext: Uint8Array,
  publicKey: Uint8Array,
) {
  const { privateKeyId, privateKeyName, curve, privateKeyTags, imported } = key;
  const addresses = await mapInSlices(key.addressFormats, createSlices(organization.id), (format) => ({
    format,
    address: encodeAddress(format, curve, publicKey),
  }));
  const publicKeyHex = Buffer.from(publicKey).toString('hex');
  const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
  const body = { privateKeyName, curve, publicKey: publicKeyHex, addresses, privateKeyTags, exported: false, imported, ...dates };
  const changes: LocalChange[] = [
    { op: 'putSecret', id: privateKeyId, ciphertext },
    { op: 'putResource', kind: 'privateKey', id: privateKeyId, body },
  ];
  return { changes, result: { privateKeyId, addresses } };
}
