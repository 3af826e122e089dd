import { type Queries, queries } from '@countersign/contract';
import { afterAll, expect, test } from 'vitest';
import { eventBody } from '../../../packages/server/src/notify/webhooks/event-body.ts';
import { buildWorld } from '../../support/activity-cases.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { queryCases } from '../../support/query-cases.ts';
import { createMember, createSubOrganization, uniqueName } from '../../support/world.ts';
import { mailSettings } from './mail-support.ts';
import { startInbox } from './smtp-inbox.ts';

type QueryName = keyof Queries;

const inbox = await startInbox();
afterAll(() => inbox.stop());

describeEngines(
  'contacts of one-time codes',
  (subject) => {
    test('D325: queries and events show a part of a contact, and audit records the whole body', async () => {
      const { caller: root } = await createSubOrganization(subject().service.root);
      const world = await buildWorld(root);
      const { caller, userId } = await createMember(root);
      await root.result('createPolicy', {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_ALLOW',
        condition: "activity.kind == 'INIT_OTP' && activity.params.contact != 'other@marked.example'",
        consensus: `approvers.any(user, user.id == '${userId}')`,
      });
      // A person who is no user of the organization.
      const contact = `xyzzy.plugh.${userId}@marked.example`;
      const params = { otpType: 'OTP_TYPE_EMAIL', contact };
      const sent = await caller.submit('initOtp', params);
      expect(sent.status).toBe(200);
      // The submitter's own response is whole.
      expect(JSON.stringify(sent.body)).toContain(contact);
      const activityId = sent.body.activity.id;
      const about: Partial<Record<QueryName, object>> = {
        listActivities: { filterByType: ['ACTIVITY_TYPE_INIT_OTP'] },
        listAuditRecords: {},
        listLogEntries: {},
        listPastRequests: { range: { last: 10, types: ['ACTIVITY_TYPE_INIT_OTP'] } },
        backtestPolicies: { range: { last: 10, types: ['ACTIVITY_TYPE_INIT_OTP'] } },
        getUser: { userId },
        getMfaStatus: { activityId, userId },
      };
      const whole: string[] = [];
      const masked: string[] = [];
      for (const name of Object.keys(queries) as QueryName[]) {
        for (const dialect of ['spec', 'turnkey'] as const) {
          const fields = about[name] ?? {
            ...queryCases[name]?.fields(world),
            ...('activityId' in shapeOf(name) && { activityId }),
          };
          const { body } = await root.with({ dialect }).query(name, fields);
          const text = JSON.stringify(body);
          if (/xyzzy/i.test(text)) whole.push(`${name} ${dialect}`);
          if (/x…@marked.example/i.test(text)) masked.push(`${name} ${dialect}`);
        }
      }
      expect(whole).toEqual(['listAuditRecords spec', 'listAuditRecords turnkey']);
      const names = ['getActivity', 'listActivities', 'explainActivity'];
      expect(masked).toEqual(names.flatMap((name) => [`${name} spec`, `${name} turnkey`]));

      const { organizations } = subject().service.services;
      const record = await organizations.activities.get(root.organizationId, activityId);
      const snapshot = await organizations.snapshots.current(root.organizationId);
      if (record === undefined || snapshot === undefined) throw new Error('the activity is missing');
      expect(JSON.stringify(eventBody(record, snapshot))).not.toMatch(/xyzzy/i);
      // The mail goes to the whole address.
      expect(await inbox.to(contact)).toHaveLength(1);
    });
  },
  { config: mailSettings(inbox) },
);

const shapeOf = (name: QueryName) => (queries[name].input as { readonly shape: object }).shape;
