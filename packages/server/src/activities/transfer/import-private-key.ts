import { activities, ServiceError } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { recordPrivateKey, requireAddressFormats, requireRoomForPrivateKeys } from '../keys/new-private-keys.ts';
import { readEncryptedBundle } from './encrypted-bundle.ts';
import { heldAlready, keyWith } from './held-already.ts';
import { openTargets, removeTarget, requireOwnImport, unreadable } from './import-targets.ts';

export const importPrivateKey = execute(activities.importPrivateKey, {
  locksOrganization: true,

  async plan(context, params) {
    const { userId, privateKeyName, curve, addressFormats } = params;
    requireOwnImport(context, userId);
    const key = { privateKeyName, curve, addressFormats, privateKeyTags: [] };
    requireAddressFormats(key, 'addressFormats');
    await requireRoomForPrivateKeys(context, [privateKeyName], () => 'privateKeyName');
    const message = readEncryptedBundle(params.encryptedBundle, 'encryptedBundle');
    const targets = openTargets(context, 'IMPORT_PRIVATE_KEY');
    return { intent: params, subject: {}, prepared: { key, message, targets } };
  },

  async run(context, { prepared: { key, message, targets } }) {
    const { organization, vault, newId } = context;
    const privateKeyId = newId();
    const imported = await vault.transfers.importPrivateKey(organization.id, privateKeyId, targets, message, key.curve);
    const nothing = { result: { privateKeyId: '', addresses: [] } };
    if (imported.outcome === 'UNREADABLE') return { ...nothing, changes: [], refusal: unreadable() };
    const used = removeTarget(imported.targetId);
    if (imported.outcome === 'UNFIT') return { ...nothing, changes: used, refusal: noKey(key.curve) };
    const { ciphertext, publicKey } = imported;
    const held = await keyWith(context, key.curve, publicKey);
    if (held !== undefined) return { ...nothing, changes: used, refusal: heldAlready(held) };
    const recorded = await recordPrivateKey(context, { ...key, privateKeyId, imported: true }, ciphertext, publicKey);
    return { result: recorded.result, changes: [...used, ...recorded.changes] };
  },
});

function noKey(curve: string): ServiceError {
  return new ServiceError(
    'BUNDLE_INVALID',
    `The bundle does not contain a private key of ${curve}: 32 bytes, not all zero, and for ECDSA curves below the order of the curve. Start again with a new target.`,
  );
}
