import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeDataDirectory } from '../support/data-directory.ts';
import { installedFile } from '../support/debian-packages.ts';
import { engines, type Installation } from '../support/installation.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { createPrivateKey, signParams } from '../support/world.ts';
import { deployFolder, freePort, type Program, startProgram } from './program.ts';

const NEED = 'The tests of metrics need Prometheus';
const folder = join(deployFolder, 'prometheus');

describe('Prometheus', () => {
  let installation: Installation;
  let collector: OtlpReceiver;
  let service: TestService;
  let prometheus: Program;
  let url: string;

  beforeAll(async () => {
    installedFile(['/usr/bin/promtool'], ['prometheus'], NEED);
    installation = await engines.sqlite();
    collector = await startOtlpReceiver();
    service = await startService(installation, { config: { otlpEndpoint: collector.url } });
    const directory = makeDataDirectory('prometheus');
    const port = await freePort();
    const config = join(directory, 'prometheus.yml');
    writeFileSync(
      config,
      `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${folder}/countersign.rules.yaml']
scrape_configs: [{ job_name: countersign, static_configs: [{ targets: ['${new URL(service.url).host}'] }] }]\n`,
    );
    const words = [`--config.file=${config}`, `--storage.tsdb.path=${directory}/data`, `--web.listen-address=127.0.0.1:${port}`];
    prometheus = startProgram(installedFile(['/usr/bin/prometheus'], ['prometheus'], NEED), words);
    url = `http://127.0.0.1:${port}`;
  });
  afterAll(async () => {
    await prometheus?.stop();
    await service?.close();
    await collector?.close();
    await installation?.remove();
  });

  async function query(expression: string): Promise<{ status: string; data: { result: { value: [number, string] }[] } }> {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(() => undefined);
    return answer === undefined ? { status: 'starting', data: { result: [] } } : ((await answer.json()) as never);
  }

  test('promtool accepts the rules, their tests and the configuration', () => {
    const promtool = (...words: string[]) => execFileSync('/usr/bin/promtool', words, { cwd: folder, encoding: 'utf8' });
    expect(promtool('check', 'rules', 'countersign.rules.yaml')).toContain('SUCCESS');
    expect(promtool('check', 'config', 'prometheus.yaml')).toContain('SUCCESS');
    expect(promtool('test', 'rules', 'countersign.rules.test.yaml')).toContain('SUCCESS');
  });

  test('a real server reads the metrics of the service', async () => {
    await service.root.result('signRawPayload', signParams(await createPrivateKey(service.root)));
    await expect.poll(async () => (await query('countersign_build_info')).data.result.length).toBe(1);
    const signed = 'countersign_requests_total{operation="sign_raw_payload",status="200"}';
    await expect.poll(async () => (await query(signed)).data.result[0]?.value[1]).toBe('1');
  });

  test('a signature is in the log, in a trace and in Prometheus', async () => {
    const signWith = await createPrivateKey(service.root);
    await service.root.result('signRawPayload', signParams(signWith));
    const lines = service.logText().split('\n');
    const line = JSON.parse(lines.findLast((text) => text.includes('"operation":"sign_raw_payload"')) as string);
    const inTrace = () => collector.spans.filter(({ traceId }) => traceId === line.traceId);
    await expect.poll(() => inTrace().some(({ kind }) => kind === 2)).toBe(true);
    const spans = inTrace().sort((a, b) => a.startTimeUnixNano - b.startTimeUnixNano);
    const root = spans.find(({ kind }) => kind === 2) as (typeof spans)[number];
    expect(root.attributes['countersign.activity_id']).toBe(line.activityId);
    const counted = 'countersign_requests_total{operation="sign_raw_payload",status="200"}';
    const value = async () => Number((await query(counted)).data.result[0]?.value[1]);
    const answered = lines.filter((text) => /"operation":"sign_raw_payload".*"status":200/.test(text)).length;
    await expect.poll(value).toBe(answered);
    const ms = (nanos: number) => (nanos / 1e6).toFixed(2).padStart(8);
    const rows = spans.map(({ name, startTimeUnixNano: start, endTimeUnixNano: end, kind }) =>
      [(kind === 2 ? name : `  ${name}`).padEnd(20), ms(start - root.startTimeUnixNano), ms(end - start)].join(' '),
    );
    const metric = `metric  ${counted} ${await value()}`;
    process.stdout.write(`log     ${JSON.stringify(line)}\ntrace   ${line.traceId}\n${rows.join('\n')}\n${metric}\n`);
  });

  test('it evaluates every expression of the dashboard and of the rules', async () => {
    const dashboard = JSON.parse(readFileSync(join(deployFolder, 'grafana/countersign.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const rules = parse(readFileSync(join(folder, 'countersign.rules.yaml'), 'utf8')) as {
      groups: { rules: { expr: string }[] }[];
    };
    const expressions = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets),
      ...rules.groups.flatMap((group) => group.rules),
    ].map(({ expr }) => expr.replaceAll('$job', 'countersign').replaceAll('$__rate_interval', '1m'));
    expect(expressions.length).toBeGreaterThan(30);
    for (const expression of expressions) expect([expression, (await query(expression)).status]).toEqual([expression, 'success']);
  });
});
