import { describe, expect, test } from 'vitest';
import { comparable, keepUnchanged } from '../../../scripts/examples/comparable.ts';
import type { Example } from '../../../scripts/examples/recorder.ts';
import { examplesText } from '../../../scripts/reference/examples.ts';

const recorded: Record<string, Example> = JSON.parse(await examplesText());
const example = recorded.getActivity as Example;
const rewrite = (pattern: RegExp, to: (value: string) => string): Example =>
  JSON.parse(JSON.stringify(example).replace(pattern, to));
const keep = (other: Example) => keepUnchanged({ getActivity: example }, { getActivity: other }).getActivity;
const turned = (hex: string) => hex.replace(/[0-9a-f]/g, (digit) => ((Number.parseInt(digit, 16) + 1) % 16).toString(16));

describe('an example is kept as it was recorded', () => {
  test('when ids, times, keys and signatures are all that differs', () => {
    const later = rewrite(
      /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-([0-9a-f]{12})/g,
      (id) => `${id.slice(0, -12)}${turned(id.slice(-12))}`,
    );
    const again: Example = JSON.parse(
      JSON.stringify(later)
        .replace(/\b1[0-9]{9,12}\b/g, (time) => String(Number(time) + 61))
        .replace(/\b[0-9a-f]{64,}\b/g, turned),
    );
    expect(again).not.toEqual(example);
    expect(keep(again)).toBe(example);
  });

  test('and not when a field, a word or a number is another', () => {
    for (const other of [
      rewrite(/ACTIVITY_STATUS_COMPLETED/, () => 'ACTIVITY_STATUS_FAILED'),
      rewrite(/"status":/, () => '"state":'),
      rewrite(/\b[0-9a-f]{64}\b/, (hex) => hex.slice(32)),
      rewrite(/SHA256/, () => 'KECCAK256'),
    ]) {
      expect(other).not.toEqual(example);
      expect(keep(other)).toBe(other);
    }
  });

  test('and not when an id that stood in two places is two ids', () => {
    const [id = ''] = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}/.exec(JSON.stringify(example.request)) ?? [];
    const other = {
      ...example,
      request: JSON.parse(JSON.stringify(example.request).replace(id, `${id.slice(0, -12)}000000000000`)),
    };
    expect(comparable(other)).not.toBe(comparable(example));
  });

  test('and an operation that is no longer recorded is left out', () => {
    expect(keepUnchanged(recorded, { getActivity: example })).toEqual({ getActivity: example });
  });
});
