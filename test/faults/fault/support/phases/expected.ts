import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runDoctor } from '../../../../../packages/server/src/commands/doctor/doctor.ts';
import { type Caller, stampFromNowOn } from '../../../../support/caller.ts';
import { startService } from '../../../../support/service.ts';
import { createSubOrganization, createWallet, privateKeyParams, signParams } from '../../../../support/world.ts';
import { checkLog } from '../log-check.ts';
import { readStored, type Stored } from '../stored.ts';
import type { PhasePlace } from './places.ts';

/** An acknowledged request. */
interface Acknowledged {
  readonly path: string;
  readonly body: string;
  readonly activityId: string;
}

/** What an installation has to contain after a command was killed and repaired. */
export interface Expected {
  readonly stored: Stored;
  readonly requests: readonly Acknowledged[];
  readonly signature: { readonly params: object; readonly result: unknown };
}

/** Sends requests of each kind that changes something. `remember` collects the acknowledged ones. */
export async function sendRequests(root: Caller, requests: Acknowledged[]): Promise<Expected['signature']> {
  const { addresses } = await createWallet(root);
  await createSubOrganization(root);
  await sendKeys(root, requests, 2);
  const params = signParams(addresses[0] as string);
  const result = await root.result('signRawPayload', params);
  await root.data('listLogEntries');
  return { params, result };
}

/** Creates private keys, one by one. */
export async function sendKeys(root: Caller, requests: Acknowledged[], count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const path = root.submitPath('createPrivateKeys');
    const body = root.submitBody('createPrivateKeys', { privateKeys: [privateKeyParams('CURVE_SECP256K1')] });
    const response = await root.send(path, body);
    if (response.status !== 200) throw new Error(`the preparation failed: ${JSON.stringify(response.body)}`);
    requests.push({ path, body, activityId: response.body.activity.id });
  }
}

/**
 * Serves a repaired installation, and compares it with what was acknowledged. Returns the violations. With `lossy`, the requests may
 * include lost ones: they must be refused, not executed.
 */
export async function violationsOf(place: PhasePlace, { stored, requests, signature }: Expected): Promise<readonly string[]> {
  const violations: string[] = [];
  const add = (what: string, cases: readonly unknown[]) => {
    if (cases.length > 0) violations.push(`${what}: ${JSON.stringify(cases)}`);
  };
  add(
    'doctor',
    (await runDoctor(place.config)).filter(({ ok }) => !ok),
  );
  const raw = await place.raw();
  stampFromNowOn();
  const service = await startService(place);
  try {
    const archived = new Set((await raw.all('SELECT activity_id FROM archived')).map((row) => String(row.activity_id)));
    const spans = await raw.all('SELECT first_id, last_id FROM archive_spans');
    const isArchived = (id: string) =>
      archived.has(id) || spans.some((span) => String(span.first_id) <= id && id <= String(span.last_id));
    const present = await readStored(raw);
    const isLost = ([key, { id }]: [string, { readonly id: string }]) => !present.activities.has(key) && !isArchived(id);
    add(
      'lost',
      [...stored.activities].filter(isLost).map(([, { id }]) => id),
    );
    for (const { path, body, activityId } of requests) {
      const response = await service.root.send(path, body);
      const isSame = response.status === 200 && response.body.activity.id === activityId;
      if (!isSame && response.status !== 400) add('executed again', [response.body]);
    }
    const { counts } = await readStored(raw);
    if (JSON.stringify(counts) !== JSON.stringify(stored.counts)) add('double or lost', [stored.counts, counts]);
    if (JSON.stringify(await service.root.result('signRawPayload', signature.params)) !== JSON.stringify(signature.result))
      add('another key signs', [signature]);
    const { holes, doubles, invalid } = await checkLog(service.url, service.root, raw);
    add('unlogged', holes);
    add('logged twice', doubles);
    add('the log is invalid', invalid);
    add('alarms', service.alarms());
  } finally {
    await service.close();
  }
  return violations;
}

/** The names of all files, without times and random parts. Archive files are counted, because each contains activities. */
export function filesOf({ home }: PhasePlace): readonly string[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(home, name)).isFile());
  const plain = names
    .filter((name) => !TRANSIENT.test(name))
    .map((name) => name.replaceAll(/\d{4}-?\d{2}-?\d{2}T[\d.]+Z/g, 'TIME').replaceAll(/retired-\w+/g, 'retired'));
  const archives = plain.filter((name) => name.startsWith('archive/')).length;
  return [...new Set(plain), `${archives} archive files`].sort();
}

/** Files of SQLite, and temporary files, which are removed when they are old. */
const TRANSIENT = /\.db-(wal|shm)$|\.[0-9a-f]{16}\.tmp$/;
