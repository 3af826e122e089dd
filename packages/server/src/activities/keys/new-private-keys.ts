import { addressFormats, type Curve, encodeAddress } from '@countersign/chains';
import type { privateKeyParams } from '@countersign/contract';
import type { z } from 'zod';
import type { LocalChange } from '../../organizations/changes.ts';
import type { Snapshot } from '../../organizations/snapshot.ts';
import type { RunContext } from '../../pipeline/executor.ts';
import { firstRepeated, invalidField, nameTaken, notFound } from '../refuse.ts';
import { requireTags } from '../tags.ts';

type Params = z.output<typeof privateKeyParams>;

/**
 * Refuses private keys that cannot be made: names that repeat, tags that `organization` does not have, address formats of another
 * curve or named twice. Without an organization (it is yet to be made) there are no tags.
 */
export function requirePrivateKeys(keys: readonly Params[], organization?: Snapshot): void {
  const repeated = firstRepeated(keys.map((key) => key.privateKeyName));
  if (repeated !== undefined) throw nameTaken('private key', `privateKeys.${repeated}.privateKeyName`);
  for (const [index, key] of keys.entries()) {
    const tagField = `privateKeys.${index}.privateKeyTags`;
    if (organization !== undefined) requireTags(organization, 'privateKeyTag', key.privateKeyTags, tagField);
    else if (key.privateKeyTags.length > 0) throw notFound('private key tag', `${tagField}.0`);
    const twice = firstRepeated(key.addressFormats);
    if (twice !== undefined)
      throw invalidField(`privateKeys.${index}.addressFormats.${twice}`, 'names a format that the list has already');
    for (const [position, format] of key.addressFormats.entries())
      requireCurve(format, key.curve, `privateKeys.${index}.addressFormats.${position}`);
  }
}

/** Refuses an address format that has no address for keys of this curve. */
export function requireCurve(format: keyof typeof addressFormats, curve: Curve, field: string): void {
  const { curves } = addressFormats[format];
  if (!curves.includes(curve))
    throw invalidField(field, `invalid curve: ${format} needs a ${curves.join(' or ')} key, this one is ${curve}`);
}

/** Generates private keys in an organization: what to write, and what the caller learns of each. */
export async function generatePrivateKeys(
  { vault, newId, nowMs }: Pick<RunContext, 'vault' | 'newId' | 'nowMs'>,
  organizationId: string,
  keys: readonly Params[],
) {
  const changes: LocalChange[] = [];
  const results: { privateKeyId: string; addresses: { format: keyof typeof addressFormats; address: string }[] }[] = [];
  for (const { privateKeyName, curve, addressFormats: formats, privateKeyTags } of keys) {
    const privateKeyId = newId();
    const { publicKey, ciphertext } = await vault.generatePrivateKey(organizationId, privateKeyId, curve);
    const addresses = formats.map((format) => ({ format, address: encodeAddress(format, curve, publicKey) }));
    const publicKeyHex = Buffer.from(publicKey).toString('hex');
    const dates = { createdAtMs: nowMs, updatedAtMs: nowMs };
    changes.push(
      { op: 'putSecret', id: privateKeyId, ciphertext },
      {
        op: 'putResource',
        kind: 'privateKey',
        id: privateKeyId,
        body: {
          privateKeyName,
          curve,
          publicKey: publicKeyHex,
          addresses,
          privateKeyTags,
          exported: false,
          imported: false,
          ...dates,
        },
      },
    );
    results.push({ privateKeyId, addresses });
  }
  return { changes, results };
}
