import { activities, ServiceError } from '@countersign/contract';
import type { SecretRecord } from '../../organizations/records.ts';
import type { LocalChange } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import type { HpkeMessage } from '../../vault/transfers/hpke.ts';
import { invalidField, limitExceeded } from '../../wire/refuse.ts';
import { readTargetKey } from '../sign-in/target-key.ts';
import { readEncryptedBundle } from '../transfer/encrypted-bundle.ts';
import { openTargetWith, removeTarget, unreadable } from '../transfer/import-targets.ts';

/** A secret to import. */
interface Delivered {
  readonly targetId: string;
  readonly message: HpkeMessage;
  readonly body: SecretRecord;
}

export const importSecrets = execute(activities.importSecrets, {
  locksOrganization: true,

  async plan(context, params) {
    const { organization, limits, nowMs } = context;
    const known = organization.records.secret;
    if (known.size + params.secrets.length > limits.maxSecrets) throw limitExceeded('secrets', limits.maxSecrets, 'maxSecrets');
    const names = new Set([...known.values()].flatMap(({ name }) => name ?? []));
    const targets = new Set<string>();
    const prepared = params.secrets.map((secret, index): Delivered => {
      const { name, secretPayload, targetPublicKey, staticProperties = [] } = secret;
      const at = (field: string) => `secrets.${index}.${field}`;
      if (name !== undefined && names.has(name)) throw invalidField(at('name'), 'is the name of another secret');
      if (name !== undefined) names.add(name);
      requireDistinctKeys(staticProperties, at('staticProperties'));
      const message = readEncryptedBundle(secretPayload, at('secretPayload'));
      const target = Buffer.from(readTargetKey(targetPublicKey, at('targetPublicKey'))).toString('hex');
      if (targets.has(target)) throw invalidField(at('targetPublicKey'), 'is the target of another secret: each needs its own');
      targets.add(target);
      const targetId = openTargetWith(context, 'IMPORT_SECRET', target);
      if (targetId === undefined) throw noTarget(at('targetPublicKey'));
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
      return { targetId, message, body: { ...(name !== undefined && { name }), staticProperties, exported: false, ...times } };
    });
    return { intent: params, subject: {}, prepared };
  },

  async run({ organization, vault, newId }, { prepared }) {
    const secretIds: string[] = [];
    const changes: LocalChange[] = [];
    for (const { targetId, message, body } of prepared) {
      const id = newId();
      const imported = await vault.transfers.importBytes(organization.id, id, targetId, message);
      // All or none. A target of content that does not fit is used up.
      if (imported.outcome === 'UNREADABLE') return { result: { secretIds: [] }, changes: [], refusal: unreadable() };
      if (imported.outcome === 'UNFIT') return { result: { secretIds: [] }, changes: removeTarget(targetId), refusal: empty() };
      secretIds.push(id);
      changes.push(
        ...removeTarget(targetId),
        { op: 'putSecret', id, ciphertext: imported.ciphertext },
        { op: 'putRecord', kind: 'secret', id, body },
      );
    }
    return { result: { secretIds }, changes };
  },
});

/** SECURITY: a policy that looks for one value of a property must not find two. */
function requireDistinctKeys(properties: SecretRecord['staticProperties'], field: string): void {
  const keys = properties.map(({ key }) => key);
  const twice = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (twice !== -1) throw invalidField(`${field}.${twice}.key`, 'is the key of another property of this secret');
}

function noTarget(field: string): ServiceError {
  const description = 'is not an open target of the caller: it was used, has expired, or is for another user';
  return new ServiceError('BUNDLE_INVALID', `invalid request: ${field} ${description}. Start again with init_import_secrets.`, {
    violations: [{ field, description }],
  });
}

function empty(): ServiceError {
  return new ServiceError(
    'BUNDLE_INVALID',
    'A payload contains an empty secret. Nothing was imported. Start again with a new target.',
  );
}
