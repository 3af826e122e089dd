import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeMetrics, describeRootMetrics } from '../../../scripts/reference/metrics.ts';

const folder = join(import.meta.dirname, '../../../deploy');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

const described = [...describeMetrics(), ...describeRootMetrics()];
/** Every series of a service, and of a root log. */
const series = new Set(
  described.flatMap(({ name, type }) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name],
  ),
);
const labels = new Map(described.map(({ name, labels }) => [name, labels]));

/** The names of metrics in an expression. */
const namesIn = (expression: string) => expression.match(/\bcountersign_\w+/g) ?? [];

/** The labels that an expression selects of a metric. */
function selectedLabels(expression: string): [string, string][] {
  return [...expression.matchAll(/\b(countersign_\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']): [string, string] => [metric, label]),
  );
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

const rules = (parse(read('prometheus/countersign.rules.yaml')) as Rules).groups.flatMap((group) => group.rules);
const panels = (JSON.parse(read('grafana/countersign.json')) as Dashboard).panels;
const expressions = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
];

test.each(expressions)('%s names metrics and labels that the service has', (_name, expression) => {
  expect(namesIn(expression).filter((name) => !series.has(name))).toEqual([]);
  const unknown = selectedLabels(expression).filter(([metric, label]) => {
    const own = labels.get(metric.replace(/_bucket$/, '')) ?? [];
    return !['job', 'instance'].includes(label) && !own.includes(label);
  });
  expect(unknown).toEqual([]);
});

test('each alert has a name, and each is written once', () => {
  const names = rules.map(({ alert }) => alert);
  expect(names.length).toBeGreaterThan(10);
  expect(new Set(names).size).toBe(names.length);
});
