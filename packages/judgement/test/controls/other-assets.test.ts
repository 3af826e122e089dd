import type { Effect } from '@countersign/chains';
import { activities } from '@countersign/contract';
import { authorizeByPolicy, type Judgement, type VelocityControlRecord } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import {
  ANN,
  BOB,
  control,
  ETH,
  first,
  holding,
  paying,
  SELF,
  signing,
  transfer,
  USDC,
  usages,
} from '../support/controls-world.ts';

const DAI = 'eip155:1/erc20:0x6b175474e89094c44da98b954eedeac495271d0f';
const DENIED = 'VELOCITY_CONTROL_OTHER_ASSETS_DENIED';
const FREE = 'VELOCITY_CONTROL_OTHER_ASSETS_FREE';

type OtherAssets = typeof DENIED | typeof FREE;

/** A limit of 2 ether or 100,000 USDC by the current rules. */
function limit(asset: typeof ETH | typeof USDC, otherAssets: OtherAssets = DENIED): VelocityControlRecord {
  const [identifier, threshold, decimals] = asset === ETH ? ['eth', '2', '18'] : ['usdc', '100000', '6'];
  const dataSource = { chainAssetTransfer: { definition: [{ caip19: asset, decimals }], otherAssets } };
  return control({ name: `Daily ${identifier}`, identifier, dataSource, rules: 2 }, { threshold });
}

/** The same limit as an earlier release stored it. */
function stored(asset: typeof ETH | typeof USDC): VelocityControlRecord {
  const { rules: _, dataSource, ...rest } = limit(asset);
  const { definition = [] } = dataSource.chainAssetTransfer ?? {};
  return { ...rest, dataSource: { chainAssetTransfer: { definition } } };
}

const unused = new Proxy(new Map(), {
  get: (_, name) => (name === 'get' ? (bucket: string) => ({ control: '', bucket, used: 0n, revision: 0 }) : undefined),
});

const controls = (...list: readonly VelocityControlRecord[]) => Object.fromEntries(list.map((each) => [each.identifier, each]));

const allow = (condition: string) => ({ p: { language: 3 as const, condition } });
const deny = (condition: string) => ({
  p: { language: 3 as const, condition: "activity.action == 'SIGN'" },
  d: { language: 3 as const, effect: 'EFFECT_DENY' as const, condition },
});

type Policies = Parameters<typeof holding>[1];

function decided(limits: readonly VelocityControlRecord[], policies: Policies, effects: readonly Effect[]) {
  const judgement = signing(holding(controls(...limits), policies), paying(effects), { usage: unused });
  return authorizeByPolicy.decide(judgement).outcome;
}

const ether = (amount: bigint, to = ANN) => transfer(amount * 10n ** 18n, to, ETH);
const dollars = (amount: bigint, to = ANN) => transfer(amount * 1_000_000n, to, USDC);
const dai = transfer(1n, ANN, DAI);
const fee: Effect = { kind: 'FEE', asset: { id: ETH, kind: 'COIN' }, amount: 10n ** 15n, from: SELF };
const allowance = (asset: string, amount = 1n, unlimited = false): Effect => ({
  kind: 'ALLOWANCE',
  asset: { id: asset, kind: 'TOKEN' },
  amount,
  unlimited,
  from: SELF,
  to: BOB,
});

describe('limits with nothing beside them', () => {
  test('D480: a limit on ether allows no transfer, allowance or permit of another asset', () => {
    for (const effects of [
      [dollars(1_000_000_000n), fee],
      [ether(1n), dollars(1n), fee],
      [allowance(USDC), fee],
      [allowance(USDC, 2n ** 256n - 1n, true), fee],
      [{ ...allowance(USDC), permit: true } as Effect],
      [transfer(1n, ANN, 'eip155:1/erc721:0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d/7'), fee],
      [{ kind: 'CREATE', what: 'ACCOUNT', asset: { id: DAI, kind: 'TOKEN' }, amount: 1n, from: SELF, to: BOB } as Effect],
    ]) {
      expect(decided([limit(ETH)], allow('controls.eth'), effects)).toBe('DENY');
      expect(decided([limit(ETH)], allow("activity.kind == 'SIGN_TRANSACTION' && controls.eth"), effects)).toBe('DENY');
    }
    expect(decided([stored(ETH)], allow('controls.eth'), [dollars(1_000_000_000n), fee])).toBe('ALLOW');
  });

  test('D480: the asset of the limit, its fee and what comes back stay allowed', () => {
    expect(decided([limit(ETH)], allow('controls.eth'), [ether(2n), fee])).toBe('ALLOW');
    expect(decided([limit(ETH)], allow('controls.eth'), [ether(3n), fee])).toBe('DENY');
    expect(decided([limit(ETH)], allow('controls.eth'), [ether(1n), dollars(5n, SELF), fee])).toBe('ALLOW');
    expect(decided([limit(ETH)], allow('controls.eth'), [ether(1n), allowance(USDC, 0n), fee])).toBe('ALLOW');
    expect(decided([limit(USDC)], allow('controls.usdc'), [dollars(1n), fee])).toBe('ALLOW');
  });

  test('D480: two limits cover both assets, and neither covers a third', () => {
    const both = [limit(ETH), limit(USDC)];
    for (const condition of [
      'controls.eth && controls.usdc',
      '!(!controls.usdc || !controls.eth)',
      'controls.eth == true && controls.usdc',
    ]) {
      expect(decided(both, allow(condition), [ether(1n), dollars(1n), fee]), condition).toBe('ALLOW');
      expect(decided(both, allow(condition), [dollars(100_000n), fee]), condition).toBe('ALLOW');
      expect(decided(both, allow(condition), [dollars(100_001n), fee]), condition).toBe('DENY');
      expect(decided(both, allow(condition), [ether(1n), dai, fee]), condition).toBe('DENY');
    }
  });

  test('D485: a limit in another branch of || is not a limit beside it', () => {
    const both = [limit(ETH), limit(USDC)];
    for (const condition of [
      'controls.eth || controls.usdc',
      'controls.usdc || controls.eth',
      '!(!controls.eth && !controls.usdc)',
    ]) {
      expect(decided([stored(ETH), stored(USDC)], allow(condition), [dollars(100_001n), fee]), 'before').toBe('ALLOW');
      expect(decided(both, allow(condition), [dollars(100_001n), fee]), condition).toBe('DENY');
      expect(decided(both, allow(condition), [ether(3n), fee]), condition).toBe('DENY');
    }
    const branches = "(wallet_account.address == 'x' && controls.eth) || controls.usdc";
    expect(decided(both, allow(branches), [dollars(1n), fee])).toBe('ALLOW');
    expect(decided(both, allow(branches), [dollars(100_001n), fee])).toBe('DENY');
    const partly = 'controls.eth && (controls.usdc || true)';
    expect(decided(both, allow(partly), [dollars(100_001n), fee])).toBe('DENY');
  });

  test('D480: no other branch hides a limit that has no value', () => {
    const condition = "activity.kind == 'SIGN_TRANSACTION' || controls.eth";
    expect(decided([limit(ETH)], allow(condition), [dollars(1n), fee])).toBe('DENY');
    expect(decided([limit(ETH)], allow(condition), [ether(3n), fee])).toBe('ALLOW');
  });

  test('D480: known receivers need one person for the asset of the limit, and nothing else passes', () => {
    const known = { ...first(), identifier: 'first_payment', rules: 2 as const };
    const condition = '!controls.first_payment';
    const to = `first_payment/0/destination/${ANN}`;
    const ask = (effects: readonly Effect[]) => {
      const where = holding(controls(known), allow(condition));
      return authorizeByPolicy.decide(signing(where, paying(effects), { usage: usages({ [to]: 3n }) })).outcome;
    };
    expect(ask([dollars(1n), fee])).toBe('ALLOW');
    expect(ask([ether(1n, BOB), fee])).toBe('DENY');
    expect(ask([transfer(1n, BOB, DAI), fee])).toBe('DENY');
  });

  test('D486: a DENY on limits denies what they do not count, and both limits may be given in one DENY', () => {
    const both = [limit(ETH), limit(USDC)];
    expect(decided([stored(ETH)], deny('!controls.eth'), [dollars(1n), fee])).toBe('ALLOW');
    expect(decided([limit(ETH)], deny('!controls.eth'), [dollars(1n), fee])).toBe('DENY');
    expect(decided([limit(ETH, FREE)], deny('!controls.eth'), [dollars(1n), fee])).toBe('ALLOW');
    expect(decided([limit(ETH)], deny('!controls.eth'), [ether(1n), fee])).toBe('ALLOW');
    for (const condition of ['!controls.eth || !controls.usdc', '!(controls.eth && controls.usdc)']) {
      expect(decided(both, deny(condition), [dollars(1n), ether(1n), fee]), condition).toBe('ALLOW');
      expect(decided(both, deny(condition), [dollars(100_001n), fee]), condition).toBe('DENY');
      expect(decided(both, deny(condition), [dai, fee]), condition).toBe('DENY');
    }
  });

  test('D487: other assets can be free, and a limit of an earlier release keeps its rule', () => {
    for (const free of [limit(ETH, FREE), stored(ETH)]) {
      expect(decided([free], allow('controls.eth'), [dollars(1n), fee])).toBe('ALLOW');
      expect(decided([free], allow('controls.eth'), [ether(3n), fee])).toBe('DENY');
      // A limit that denies other assets stays strict beside one for which they are free.
      expect(decided([free, limit(USDC)], allow('controls.eth && controls.usdc'), [dai, fee])).toBe('DENY');
      expect(decided([free, limit(USDC)], allow('controls.eth && controls.usdc'), [ether(1n), fee])).toBe('ALLOW');
    }
  });

  test('D480: the explanation says which asset no limit counts', () => {
    const where = holding(controls(limit(ETH)), allow('controls.eth'));
    const { policies } = authorizeByPolicy.explain(signing(where, paying([dollars(1n), fee]), { usage: unused }));
    expect(JSON.stringify(policies)).toContain(`it denies other assets, and this request moves USDC (${USDC})`);
  });

  test('D480: a user whose approval would bring a DENY without a value is not asked for it', () => {
    const where = (eth: VelocityControlRecord) =>
      holding(controls(eth, limit(USDC, FREE)), {
        p: { language: 3, condition: 'controls.usdc', consensus: 'approvers.count() >= 2' },
        d: { language: 3, effect: 'EFFECT_DENY', condition: '!controls.eth', consensus: "approvers.any(user, user.id == 'b')" },
      });
    const ask = (eth: VelocityControlRecord) =>
      authorizeByPolicy.decide(signing(where(eth), paying([dollars(1n), fee]), { usage: unused })).outcome;
    expect(ask(limit(ETH, FREE))).toBe('NEEDS_CONSENSUS');
    expect(ask(limit(ETH))).toBe('DENY');
  });
});

describe('filters and batches', () => {
  const SIGN = 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2';
  const only = (activityType: string, rules?: 2): VelocityControlRecord => ({
    ...limit(ETH, FREE),
    dataSource: {
      chainAssetTransfer: {
        definition: [{ caip19: ETH, decimals: '18' }],
        filter: { activity: [{ activityType }] },
        otherAssets: FREE,
      },
    },
    ...(rules === undefined ? { rules: undefined as never } : { rules }),
  });
  const counting = (activityType: string, rules?: 2): VelocityControlRecord => ({
    ...only(activityType, rules),
    dataSource: { activityExecution: { filter: { activity: [{ activityType }] } } },
    aggregation: {
      ...control().aggregation,
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
      threshold: '10',
    },
  });
  const ask = (limitOf: VelocityControlRecord, change: Partial<Judgement>, subject = paying([ether(3n), fee])) => {
    const where = holding(controls(limitOf), allow("activity.action == 'SIGN' && controls.eth"));
    return authorizeByPolicy.decide(signing(where, subject, { usage: unused, ...change })).outcome;
  };
  const raw = { definition: activities.signRawPayload, type: activities.signRawPayload.type };
  const batch = { definition: activities.signRawPayloads, type: activities.signRawPayloads.type };
  const { parsed: _, ...key } = paying([]);

  test('D481: a filter on one kind of signing does not make the others free', () => {
    for (const make of [only, counting]) {
      for (const other of [raw, batch]) {
        expect(ask(make(SIGN), other, key), 'before').toBe('ALLOW');
        expect(ask(make(SIGN, 2), other, key)).toBe('DENY');
      }
    }
    expect(ask(only(raw.type, 2), {})).toBe('DENY');
    expect(ask(counting(SIGN, 2), {})).toBe('ALLOW');
    for (const type of ['ACTIVITY_TYPE_SIGN_TRANSACTION', SIGN]) {
      expect(ask(only(SIGN, 2), { type })).toBe('DENY');
      expect(ask(only(SIGN, 2), { type }, paying([ether(2n), fee]))).toBe('ALLOW');
    }
  });

  test('D481: a limit on activities that do not sign says nothing about signing', () => {
    expect(ask(counting('ACTIVITY_TYPE_CREATE_WALLET', 2), raw, key)).toBe('ALLOW');
  });

  test('D483: a batch counts each of its signatures', () => {
    const of = (signatures: number) => ({ ...key, signatures });
    expect(ask(counting(batch.type), batch, of(11)), 'before').toBe('ALLOW');
    expect(ask(counting(batch.type, 2), batch, of(11))).toBe('DENY');
    expect(ask(counting(batch.type, 2), batch, of(10))).toBe('ALLOW');
    expect(ask(counting(raw.type, 2), raw, key)).toBe('ALLOW');
  });
});
