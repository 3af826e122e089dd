import { expect, test } from 'vitest';
import { VERSION } from '../../../packages/server/src/config/version.ts';
import { describeMetrics } from '../../../scripts/reference/metrics.ts';
import { describeEngines } from '../../support/describe-engines.ts';

describeEngines('metrics', (subject) => {
  const read = async () => (await fetch(`${subject().service.url}/metrics`)).text();

  test('are those of the reference', async () => {
    const { engine } = await subject().service.services.store.describe();
    const names = [...(await read()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    const absent = [
      'countersign_tls_certificate_expiry_seconds',
      ...(engine === 'postgres' ? [] : ['countersign_database_connections']),
    ];
    const described = describeMetrics().filter(({ name }) => !absent.includes(name));
    expect(names.sort()).toEqual(described.map(({ name, type }) => `${name} ${type}`).sort());
  });

  test('report the version, the queue, the log and the connections', async () => {
    const text = await read();
    expect(text).toContain(`countersign_build_info{version="${VERSION}"} 1`);
    expect(text).toMatch(/^countersign_queued_requests\{client="proven"\} 0$/m);
    expect(text).toMatch(/^countersign_log_lag_seconds [\d.e-]+$/m);
    const { engine } = await subject().service.services.store.describe();
    if (engine === 'postgres') expect(text).toMatch(/^countersign_database_connections\{state="busy"\} \d+$/m);
  });
});
