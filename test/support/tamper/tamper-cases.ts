import { randomBytes } from 'node:crypto';
import { packBody } from '../../../packages/server/src/store/packed-body.ts';
import { bodyOf } from '../packed-rows.ts';
import { createPrivateKey, signParams } from '../world.ts';
import { keyCases } from './key-cases.ts';
import { recordCases } from './record-cases.ts';
import { changed, LARGE, one, signWith, type TamperCase, wholeState } from './tamper-case.ts';

/** What is set, and the values for it, which may depend on the body. */
const activityEdits = {
  body: {
    name: 'the body of an activity is changed',
    set: 'packed = ?',
    values: (body: string) => [packBody(body.replace('"v":"0', '"v":"1'))],
  },
  status: { name: 'the status of an activity is changed', set: "status = 'ACTIVITY_STATUS_FAILED'", values: () => [] },
  garbage: {
    name: 'the body of an activity is overwritten with garbage',
    set: 'packed = ?',
    values: () => [Buffer.from('{')],
  },
  revision: {
    name: 'D523: the revision of an activity is edited to more than a number can hold',
    set: `revision = ${LARGE}`,
    values: () => [],
  },
} as const;

/** Every edit of the database that tests try. */
export const tamperCases: readonly TamperCase[] = [
  ...recordCases,
  ...keyCases,
  {
    name: 'the version of the organization is edited',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller, organizationId }) {
      const privateKeyId = await createPrivateKey(caller);
      await changed(raw.run('UPDATE organizations SET version = version + 1 WHERE organization_id = ?', organizationId));
      return signWith(caller, privateKeyId);
    },
  },
  {
    name: 'D523: the version of the organization is edited to more than a number can hold',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller, organizationId }) {
      const privateKeyId = await createPrivateKey(caller);
      await changed(raw.run(`UPDATE organizations SET version = ${LARGE} WHERE organization_id = ?`, organizationId));
      return signWith(caller, privateKeyId);
    },
  },
  {
    name: 'the MAC of the organization is edited',
    running: 'STATE_TAMPERED',
    reported: wholeState,
    async edit({ raw, caller, organizationId }) {
      const privateKeyId = await createPrivateKey(caller);
      await changed(raw.run('UPDATE organizations SET mac = ? WHERE organization_id = ?', randomBytes(32), organizationId));
      return signWith(caller, privateKeyId);
    },
  },
  {
    name: 'the organization’s data key is replaced by another organization’s',
    running: 'unimpressed',
    reported: /data key of organization \S+ was not wrapped by root key/,
    onlyHere: true,
    async edit({ raw, caller, neighbour, organizationId }) {
      const privateKeyId = await createPrivateKey(caller);
      const { wrapped } = await one(raw, 'SELECT wrapped FROM data_keys WHERE organization_id = ?', neighbour.organizationId);
      await changed(raw.run('UPDATE data_keys SET wrapped = ? WHERE organization_id = ?', wrapped as Uint8Array, organizationId));
      return signWith(caller, privateKeyId);
    },
  },
  ...(['body', 'status', 'garbage', 'revision'] as const).map(
    (what): TamperCase => ({
      name: activityEdits[what].name,
      running: 'STATE_TAMPERED',
      reported: /the activity \S+ was changed or inserted/,
      onlyHere: true,
      async edit({ raw, caller }) {
        const path = caller.submitPath('signRawPayload');
        const body = caller.submitBody('signRawPayload', signParams(await createPrivateKey(caller)));
        const { id } = (await caller.send(path, body)).body.activity;
        await raw.dropGuards();
        const row = await one(raw, 'SELECT body, packed FROM activities WHERE id = ?', id);
        const { set, values } = activityEdits[what];
        await changed(raw.run(`UPDATE activities SET ${set} WHERE id = ?`, ...values(bodyOf(row)), id));
        return (url) => caller.with({ url }).send(path, body);
      },
    }),
  ),
];
