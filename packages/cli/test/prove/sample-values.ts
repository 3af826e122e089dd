import type { Schema } from '../../../../test/support/schema-values.ts';
import type { Random } from './random.ts';

/** Texts that most patterns of the contract accept one of. */
const TEXTS = [
  'hot',
  'Name of a',
  'tag-ops',
  'a',
  '60',
  '900',
  '0',
  '1.5',
  'x@example.com',
  '+15555550100',
  '2222222222',
  '00ff',
  `0x${'aa'.repeat(20)}`,
  `02${'ab'.repeat(32)}`,
  `04${'ab'.repeat(64)}`,
  'ab'.repeat(32),
  'AAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAA',
  'eyJhIjoxfQ.eyJhIjoxfQ.AAAA',
  'https://example.com/hook',
  "m/44'/60'/0'/0/0",
  'Europe/Berlin',
  '01938c5a-7f3e-7a1b-8c2d-0123456789ab',
  '2026-06-01T12:00:00Z',
  'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '203.0.113.0/24',
  'daily_usdc',
  '{}',
  '123456',
  'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  'BTBZMqHH6r4Tts7J_aSIgg',
];

/** A value that a schema probably accepts. Optional members are often missing. */
export function sampleOf(schema: Schema, random: Random): unknown {
  const { def } = schema._zod;
  switch (def.type) {
    case 'object': {
      const members = Object.entries(def.shape ?? {}).filter(
        ([, each]) => each._zod.def.type !== 'optional' || random.chance(0.6),
      );
      return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(member, random)]));
    }
    case 'array':
      return Array.from({ length: random.pick([0, 1, 1, 2]) }, () => sampleOf(def.element as Schema, random));
    case 'union':
      return sampleOf(random.pick(def.options ?? []), random);
    case 'enum':
      return random.pick(Object.values(def.entries ?? {}));
    case 'literal':
      return random.pick(def.values ?? []);
    case 'boolean':
      return random.chance(0.5);
    case 'number':
      return random.pick([0, 1, 6, 12, 24, 900]);
    case 'string': {
      const patterns = (def.checks ?? []).flatMap(({ _zod }) => _zod.def.pattern ?? []);
      const fitting = TEXTS.filter((text) => patterns.every((pattern) => new RegExp(pattern).test(text)));
      return random.pick(fitting.length > 0 ? fitting : TEXTS);
    }
    default:
      return def.innerType === undefined ? {} : sampleOf(def.innerType, random);
  }
}
