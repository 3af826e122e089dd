import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { flagName, settings, settingVariables } from '../../../packages/server/src/config/index.ts';

const folder = join(import.meta.dirname, '../../../deploy');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const documents = (name: string) => parseAllDocuments(read(name), { merge: true }).map((document) => document.toJS() as never);
const yaml = files.filter((name) => name.endsWith('.yaml'));
const texts = files.filter((name) => /\.(yaml|service|default|cfg|sh)$|Containerfile$/.test(name));

test.each(yaml)('%s is YAML', (name) => {
  for (const document of parseAllDocuments(read(name), { merge: true })) {
    expect(document.errors).toEqual([]);
    expect(document.toJS()).toBeTypeOf('object');
  }
});

test('there are files for images, compose, Kubernetes, systemd and HAProxy', () => {
  for (const part of ['image/', 'compose/', 'kubernetes/', 'systemd/', 'haproxy/', 'prometheus/', 'grafana/'])
    expect(texts.concat(files).some((name) => name.startsWith(part))).toBe(true);
});

test.each(texts)('%s names variables and flags that exist', (name) => {
  const text = read(name);
  const variables = text.match(/\bCOUNTERSIGN_[A-Z_]+\b/g) ?? [];
  expect(variables.filter((variable) => !settingVariables.includes(variable))).toEqual([]);
  const flags = new Set(Object.keys(settings).map((setting) => `--${flagName(setting)}`));
  const ours = (text.match(/(?<=serve[^\n]*|`|\s)--[a-z]+(-[a-z]+)+(?=[\s,.]|$)/g) ?? []).filter(
    (flag) => !['--build-context', '--from-literal', '--pack-destination'].includes(flag),
  );
  expect(ours.filter((flag) => !flags.has(flag))).toEqual([]);
});

interface Pod {
  readonly containers: readonly [
    {
      readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
      readonly env: readonly { readonly name: string; readonly value?: string }[];
      readonly securityContext: object;
    } & Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', { readonly httpGet: { path: string; port: string } }>,
  ];
  readonly securityContext: object;
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds: number;
}

describe('Kubernetes', () => {
  const all = documents('kubernetes/countersign.yaml') as {
    kind: string;
    spec: { template: { metadata: { labels: object }; spec: Pod }; selector: { matchLabels: object } };
  }[];
  const set = all.find(({ kind }) => kind === 'StatefulSet') as (typeof all)[number];
  const pod = set.spec.template.spec;
  const [container] = pod.containers;
  const variableOf = (name: string) => container.env.find((variable) => variable.name === name)?.value;

  test('probes ask for pages of the service, at the port of its --admin-listen', () => {
    const paths = [container.startupProbe, container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet);
    expect(paths.map(({ path }) => path)).toEqual(['/healthz', '/healthz', '/readyz']);
    const admin = container.ports.find(({ name }) => name === 'admin');
    for (const { port } of paths) expect(port).toBe(admin?.name);
    expect(variableOf('COUNTERSIGN_ADMIN_LISTEN')).toBe(`0.0.0.0:${admin?.containerPort}`);
    expect(container.ports.find(({ name }) => name === 'api')?.containerPort).toBe(Number(settings.port.default));
  });

  test('the pod has no rights, a read-only root, and time to stop', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.enableServiceLinks).toBe(false);
    const seconds = Number(variableOf('COUNTERSIGN_LAME_DUCK_SECONDS')) + Number(settings.shutdownSeconds.default);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds);
  });

  test('services, the budget and the network policy select the pod', () => {
    const policies = documents('kubernetes/network-policies.yaml') as { spec: { podSelector: { matchLabels: object } } }[];
    expect(set.spec.selector.matchLabels).toEqual(set.spec.template.metadata.labels);
    for (const { spec } of policies) expect(spec.podSelector.matchLabels).toEqual(set.spec.template.metadata.labels);
    expect(all.map(({ kind }) => kind)).toContain('PodDisruptionBudget');
  });
});

test.each(['compose/one-node.yaml', 'compose/three-nodes.yaml'])('%s starts the service without rights', (name) => {
  const [{ services }] = documents(name) as unknown as [{ services: Record<string, Record<string, unknown>> }];
  const nodes = Object.values(services).filter(({ image }) => String(image).includes('countersign'));
  expect(nodes.length).toBeGreaterThan(0);
  for (const node of nodes) {
    expect(node).toMatchObject({ read_only: true, user: '65532:65532', cap_drop: ['ALL'] });
    expect(JSON.stringify(node.healthcheck)).toContain('/readyz');
  }
});

test('the image runs as the user that compose and Kubernetes name, without a shell', () => {
  const text = read('image/Containerfile');
  const last = text.slice(text.lastIndexOf('FROM '));
  expect(last).toMatch(/^FROM scratch\n/);
  expect(last).toContain('USER 65532:65532');
  expect(last).not.toMatch(/^(RUN|SHELL)/m);
  expect(read('image/make-rootfs.sh')).toContain('65532');
});
