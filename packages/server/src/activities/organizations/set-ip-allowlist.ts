import { activities, defaults } from '@countersign/contract';
import { listIdOf } from '../../auth/ip-allowlist.ts';
import type { IpAllowlistRecord } from '../../organizations/records.ts';
import { execute } from '../../pipeline/plan/executor.ts';
import { invalidField, limitExceeded } from '../../wire/refuse.ts';
import { readRules, requireNoLockOut, requireTopLevel, touchedByList } from './ip-allowlists.ts';

export const setIpAllowlist = execute(activities.setIpAllowlist, {
  locksOrganization: true,

  async plan(
    context,
    { publicKey, enabled = defaults.ipAllowlistEnabled, rules: given, onEvaluationError = defaults.onEvaluationError },
  ) {
    const { organization, limits, nowMs } = context;
    requireTopLevel(organization);
    const id = listIdOf(organization, publicKey);
    const forKey = publicKey !== undefined;
    const before = organization.records.ipAllowlist.get(id);
    if (forKey && !enabled)
      throw invalidField(
        'enabled',
        'applies only to the list of the organization: the list of an API key is enforced until it is removed',
      );
    const rules = given === undefined ? (before?.rules ?? []) : readRules(given, before, forKey, nowMs);
    if (enabled && rules.length === 0)
      throw invalidField('rules', 'must have at least one rule: an empty list would deny every caller');
    const { maxIpAllowlistRules } = limits;
    if (rules.length > maxIpAllowlistRules)
      throw limitExceeded('rules in an IP allowlist', maxIpAllowlistRules, 'maxIpAllowlistRules');
    const list: IpAllowlistRecord = {
      ...(!forKey && { enabled }),
      rules,
      onEvaluationError,
      createdAtMs: before?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
    };
    requireNoLockOut(context, id, list);
    const intent = {
      ...(forKey ? { publicKey } : { enabled }),
      rules: rules.map(({ cidr, label }) => ({ cidr, ...(label !== undefined && { label }) })),
      onEvaluationError,
    };
    return {
      intent,
      subject: { touches: touchedByList(organization, id), parameters: () => ({ rules: intent.rules }) },
      prepared: { id, list },
    };
  },

  async run(context, { prepared: { id, list } }) {
    requireNoLockOut(context, id, list);
    return { result: {}, changes: [{ op: 'putRecord', kind: 'ipAllowlist', id, body: list }] };
  },
});
