import { activities } from '@countersign/contract';
import type { Change } from '../../organizations/snapshot/changes.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { namedObjects, requireObject } from './freezes.ts';

export const freeze = execute(activities.freeze, {
  locksOrganization: true,
  endsKeys: true,

  async plan(context, params) {
    const { organization } = context;
    const named = namedObjects(organization, params);
    for (const object of named) await requireObject(context, object);
    return { intent: params, subject: {}, prepared: { named, reason: params.reason } };
  },

  async run({ organization, submitterId, nowMs }, { prepared: { named, reason } }) {
    const { freeze: frozen } = organization.records;
    // INVARIANT: the first freeze stays, with its reason. Freezing again changes nothing, so that several users can do it in an emergency.
    const fresh = named.filter(({ id }) => !frozen.has(id));
    const changes = fresh.map(
      ({ id, target }): Change => ({
        op: 'putRecord',
        kind: 'freeze',
        id,
        body: { target, reason, frozenBy: submitterId, createdAtMs: nowMs, updatedAtMs: nowMs },
      }),
    );
    const keys = fresh.filter(({ target }) => target === 'WALLET' || target === 'PRIVATE_KEY');
    return {
      result: {
        frozenIds: fresh.map(({ id }) => id),
        alreadyFrozenIds: named.filter(({ id }) => frozen.has(id)).map(({ id }) => id),
      },
      changes,
      forget: keys.map(({ id }) => id),
    };
  },
});
