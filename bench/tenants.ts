import { once } from 'node:events';
import type { Bench, BenchContext } from './bench.ts';
import { describeMachine } from './machine.ts';
import { tenantsReport } from './report/tenants-report.ts';
import { startServerProcess } from './server-process.ts';
import { signingBody } from './signing-request.ts';
import { Stamper } from './stamper.ts';
import { spreadOf } from './statistics.ts';
import { createProbe } from './tenants/probe.ts';

/** Sub-organizations in the smaller installation. */
const FEW = 1000;
/** Requests of each kind in one round. */
const REQUESTS = 100;

/** A request that both installations receive, one after the other. */
type Operation = (number: number) => Promise<void>;

/**
 * The cost of very many sub-organizations in one parent: the same requests on two installations that differ in nothing else,
 * measured alternately.
 */
export const tenants: Bench = {
  summary: 'the same requests with 1,000 and with very many sub-organizations',

  async run(context) {
    const { options, leftovers, progress } = context;
    const machine = describeMachine(leftovers);
    const few = await startInstallation(context, FEW);
    const many = await startInstallation(context, options.tenants);
    const names = Object.keys(few);
    const measured = new Map(names.map((name) => [name, { few: [] as number[], many: [] as number[] }]));
    for (let round = 0; round < options.rounds; round++) {
      progress(`round ${round + 1} of ${options.rounds}`);
      for (const [name, times] of measured) {
        times.few.push(await medianMs(few[name] as Operation, round));
        times.many.push(await medianMs(many[name] as Operation, round));
      }
    }
    return tenantsReport({
      bench: 'tenants',
      machine,
      rounds: options.rounds,
      few: FEW,
      many: options.tenants,
      operations: [...measured].map(([name, times]) => ({
        name,
        fewMs: spreadOf(times.few),
        manyMs: spreadOf(times.many),
        ratio: spreadOf(times.many.map((ms, round) => ms / (times.few[round] as number))),
      })),
    });
  },
};

async function startInstallation({ leftovers, progress }: BenchContext, count: number): Promise<Record<string, Operation>> {
  const { target, dataDir } = await startServerProcess(leftovers, 1);
  const seeder = leftovers.fork('./tenants/seed-process.ts', [dataDir, target.organizationId, String(count)]);
  seeder.on('message', ({ created }: { created: number }) =>
    progress(`${created.toLocaleString('en')} of ${count.toLocaleString('en')} sub-organizations`),
  );
  const [code] = (await once(seeder, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the sub-organizations could not be created');

  const url = `http://${target.host}:${target.port}`;
  const parent = new Stamper(target);
  const probe = await createProbe(url, target, parent);
  const owner = new Stamper(probe);
  const send = async (path: string, body: string, stamper: Stamper) => {
    const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as { activity: { result: { organizationIds?: readonly string[] } } };
  };
  const list = async (fields: object, expected: number) => {
    const body = JSON.stringify({ organizationId: target.organizationId, ...fields });
    const found = (await send('/public/v1/query/list_suborgs', body, parent)).activity.result.organizationIds;
    if (found?.length !== expected) throw new Error(`list_suborgs gave ${found?.length} ids, not ${expected}`);
  };
  return {
    'list_suborgs, a page of 100': () => list({ paginationOptions: { limit: '100' } }, 100),
    'list_suborgs by PUBLIC_KEY': () => list({ filterType: 'PUBLIC_KEY', filterValue: probe.apiPublicKey }, 1),
    'list_suborgs by EMAIL': () => list({ filterType: 'EMAIL', filterValue: 'user-500@example.com' }, 1),
    'a signature in one of them': async (number) => {
      const payload = number.toString(16).padStart(64, '0');
      await send('/public/v1/submit/sign_raw_payload', signingBody(probe, payload, Date.now()), owner);
    },
  };
}

async function medianMs(operation: Operation, round: number): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < REQUESTS; index++) {
    const startedAt = performance.now();
    await operation(round * REQUESTS + index);
    times.push(performance.now() - startedAt);
  }
  return spreadOf(times).median;
}
