import { defaultTokens, withOwnTokens } from '@countersign/chains';
import { raised, readDefinition, reset, spellDefinition, updated, type VelocityControlRecord } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { control, ETH, first, NOW, USDC } from '../support/controls-world.ts';

type Definition = Pick<VelocityControlRecord, 'dataSource' | 'aggregation'>;
type Asset = { caip19: string; decimals: string; rate?: string };

const problem = (check: () => unknown): string => {
  try {
    check();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

const assets = (...definition: Asset[]): Definition => control({ dataSource: { chainAssetTransfer: { definition } } });
const of = (aggregation: Parameters<typeof control>[1]): Definition => control({}, aggregation);
const executions = (types: readonly string[], aggregation: Parameters<typeof control>[1] = {}): Definition =>
  control(
    { dataSource: { activityExecution: { filter: { activity: types.map((activityType) => ({ activityType })) } } } },
    { method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT', ...aggregation },
  );

describe('the definition of a control', () => {
  test.each<[string, Definition, string]>([
    ['no data source', { ...control(), dataSource: {} }, 'dataSource must have exactly one'],
    [
      'two data sources',
      { ...control(), dataSource: { ...control().dataSource, activityExecution: {} } },
      'dataSource must have',
    ],
    [
      'an asset without a chain',
      assets({ caip19: '0xa0b8', decimals: '6' }),
      'dataSource.chainAssetTransfer.definition.0.caip19',
    ],
    [
      'an address with a wrong checksum',
      assets({ caip19: 'eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49', decimals: '6' }),
      'definition.0.caip19 must be',
    ],
    ['a coin of another chain', assets({ caip19: 'eip155:1/slip44:61', decimals: '18' }), 'definition.0.caip19 must be'],
    [
      'a cluster of Solana that transactions do not name',
      assets({ caip19: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1/slip44:501', decimals: '9' }),
      'definition.0.caip19 must be',
    ],
    [
      'an asset twice, in two spellings',
      assets(
        { caip19: USDC, decimals: '6' },
        {
          caip19: USDC.replace('0xa0b8', '0xA0B8').toUpperCase().replace('EIP155', 'eip155').replace('ERC20:0X', 'erc20:0x'),
          decimals: '6',
        },
      ),
      'definition.1.caip19',
    ],
    ['wrong decimals of a known token', assets({ caip19: USDC, decimals: '18' }), 'definition.0.decimals must be 6'],
    ['wrong decimals of a coin', assets({ caip19: ETH, decimals: '6' }), 'definition.0.decimals must be 18'],
    [
      'decimals for pieces',
      assets({ caip19: `eip155:1/erc721:0x${'1'.repeat(40)}`, decimals: '18' }),
      'definition.0.decimals must be 0',
    ],
    ['an activity that does not exist', executions(['ACTIVITY_TYPE_NOTHING']), 'filter.activity.0.activityType is not'],
    [
      'only activities that are not offered',
      executions(['ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION']),
      'filter.activity names no activity',
    ],
    [
      'a sum of activities',
      executions([], { method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM' }),
      'aggregation.method must be COUNT',
    ],
    ['receivers of activities', executions([], { groupBy: { destination: {} } }), 'aggregation.groupBy must be organization'],
    [
      'half a transfer',
      of({ method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT', threshold: '1.5' }),
      'aggregation.threshold must be a whole',
    ],
    ['no group', of({ groupBy: {} }), 'aggregation.groupBy must have exactly one'],
    ['two windows', of({ window: { infinite: {}, rolling: { duration: '1' } } }), 'aggregation.window must have exactly one'],
    [
      'a time zone that does not exist',
      of({ window: { calendar: { unit: 'VELOCITY_CONTROL_CALENDAR_UNIT_DAY', timeZone: 'Europe/Nowhere' } } }),
      'calendar.timeZone must be',
    ],
    [
      'an offset for a time zone',
      of({ window: { calendar: { unit: 'VELOCITY_CONTROL_CALENDAR_UNIT_DAY', timeZone: '+02:00' } } }),
      'calendar.timeZone must be',
    ],
    [
      'a comparison with FIRST',
      of({ method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_FIRST' }),
      'aggregation.operator must be left out',
    ],
    [
      'no threshold',
      control({ aggregation: (({ threshold: _, ...rest }) => rest)(control().aggregation) }),
      'aggregation.threshold must be given',
    ],
  ])('refuses %s', (_, definition, message) => {
    expect(problem(() => readDefinition(definition, defaultTokens))).toContain(message);
  });

  test('refuses a filter of transfers that names no activity that signs, and the phase that the service does not see', () => {
    const transfers = { definition: [{ caip19: USDC, decimals: '6' }] };
    const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_WALLET' }] };
    const wrong = { ...control(), dataSource: { chainAssetTransfer: { ...transfers, filter } } };
    expect(problem(() => readDefinition(wrong, defaultTokens))).toContain('filter.activity names no activity that signs');
    const late = { ...control(), dataSource: { chainAssetTransfer: { ...transfers, phase: { submission: {} } } } };
    expect(problem(() => readDefinition(late, defaultTokens))).toContain('phase.submission is not offered');
  });

  test('the decimals of a token that the organization vouches for must be right', () => {
    const asset = `eip155:1/erc20:0x${'2'.repeat(40)}`;
    const token = { asset, symbol: 'TST', decimals: 2, createdAtMs: 0, updatedAtMs: 0 };
    const tokens = withOwnTokens((id) => (id === asset ? token : undefined));
    expect(problem(() => readDefinition(assets({ caip19: asset, decimals: '6' }), tokens))).toContain('must be 2');
    expect(problem(() => readDefinition(assets({ caip19: asset, decimals: '6' }), defaultTokens))).toBe('');
  });

  test('D455: a limit on USDC has 6 decimals, also if the organization once listed USDC with 18', () => {
    const tokens = withOwnTokens((id) => (id === USDC ? { symbol: 'USDC', decimals: 18 } : undefined));
    expect(problem(() => readDefinition(assets({ caip19: USDC, decimals: '18' }), tokens))).toContain('must be 6');
    expect(problem(() => readDefinition(assets({ caip19: USDC, decimals: '6' }), tokens))).toBe('');
  });

  test.each([
    ['eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', '6', USDC],
    ['eip155:137/slip44:60', '18', 'eip155:137/slip44:60'],
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', '9', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501'],
    ['tron:0x2b6653dc/slip44:195', '6', 'tron:0x2b6653dc/slip44:195'],
    ['tron:0x2b6653dc/trc10:1002000', '6', 'tron:0x2b6653dc/trc10:1002000'],
    ['bip122:000000000019d6689c085ae165831e93/slip44:0', '8', 'bip122:000000000019d6689c085ae165831e93/slip44:0'],
  ])('takes %s', (caip19, decimals, canonical) => {
    const { dataSource } = readDefinition(assets({ caip19, decimals }), defaultTokens);
    expect(dataSource.chainAssetTransfer?.definition).toEqual([{ caip19: canonical, decimals }]);
  });

  test('an empty filter is none', () => {
    expect(spellDefinition(executions([])).dataSource).toEqual({ activityExecution: {} });
  });
});

describe('changes of a control', () => {
  const until = (ms: number) => String(NOW + ms);

  test('a raise goes up, ends within 366 days, and is for limits', () => {
    expect(raised(control(), { newThreshold: '100000.5', until: until(5) }, NOW).raise).toEqual({
      threshold: '100000.5',
      untilMs: NOW + 5,
    });
    const refusal = (newThreshold: string, ms: number, which = control()) =>
      problem(() => raised(which, { newThreshold, until: until(ms) }, NOW));
    expect(refusal('100000', 5)).toContain('newThreshold must be above');
    expect(refusal('100001', 0)).toContain('until must be in the future');
    expect(refusal('100001', 367 * 86_400_000)).toContain('until must be at most');
    const floor = control({}, { operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_GREATER_THAN' });
    expect(refusal('100001', 5, floor)).toContain('not a limit that can be raised');
    expect(refusal('100001', 5, first())).toContain('not a limit that can be raised');
  });

  test('a reset begins another epoch', () => {
    expect(reset(control({ epoch: 4 }), NOW)).toMatchObject({ epoch: 5, updatedAtMs: NOW });
  });

  test('an update changes what it names, and nothing of what was counted', () => {
    const before = control({ raise: { threshold: '5', untilMs: NOW } });
    const after = updated(before, { name: 'Other', window: { infinite: {} } }, NOW);
    expect(after).toEqual({
      ...before,
      name: 'Other',
      aggregation: { ...before.aggregation, window: { infinite: {} } },
      updatedAtMs: NOW,
    });
    expect(updated(before, { newThreshold: '7' }, NOW).raise).toBeUndefined();
    expect(problem(() => updated(before, {}, NOW))).toContain('is all that was given');
    expect(problem(() => updated(first(), { newThreshold: '7' }, NOW))).toContain('newThreshold must be left out');
  });
});
