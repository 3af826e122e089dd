import type { Effect } from '@countersign/chains';
import { PersistentMap } from '@countersign/collections';
import { activities } from '@countersign/contract';
import type { Judgement, PolicySubject, Usage, VelocityControlRecord } from '@countersign/judgement';
import type { ContactRecord, Resource, TokenRecord } from '../../../server/src/organizations/records.ts';
import type { Snapshot } from '../../../server/src/organizations/snapshot/snapshot.ts';
import { judgement, NOW, organization, type PolicyText, vote } from './world.ts';

export const USDC = 'eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
export const ETH = 'eip155:1/slip44:60';
export const SELF = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
export const ANN = `0x${'a'.repeat(40)}`;
export const BOB = `0x${'b'.repeat(40)}`;

const dates = { createdAtMs: 0, updatedAtMs: 0 };

type Aggregation = VelocityControlRecord['aggregation'];

/** At most 100,000 USDC a day, unless changed. */
export function control(
  change: Partial<VelocityControlRecord> = {},
  aggregation: Partial<Aggregation> = {},
): VelocityControlRecord {
  return {
    name: 'Daily USDC',
    identifier: 'daily_usdc',
    dataSource: { chainAssetTransfer: { definition: [{ caip19: USDC, decimals: '6' }] } },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      threshold: '100000',
      window: { rolling: { duration: '86400' } },
      groupBy: { organization: {} },
      ...aggregation,
    },
    epoch: 0,
    ...dates,
    ...change,
  };
}

/** The same without a comparison. */
export function first(change: Partial<Aggregation> = {}): VelocityControlRecord {
  const { operator: _, threshold: __, ...rest } = control().aggregation;
  const aggregation: Aggregation = {
    ...rest,
    method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_FIRST',
    window: { infinite: {} },
    groupBy: { destination: {} },
    ...change,
  };
  return control({ aggregation, identifier: 'first_payment', name: 'First payment' });
}

export const transfer = (amount: bigint | undefined, to: string | undefined = ANN, asset = USDC): Effect => ({
  kind: 'TRANSFER',
  asset: { id: asset, kind: 'TOKEN', decimals: 6 },
  ...(amount !== undefined && { amount }),
  from: SELF,
  ...(to !== undefined && { to }),
});

const account: Resource<'walletAccount'> = {
  kind: 'walletAccount',
  id: 'x',
  parentId: 'w',
  body: {
    walletId: 'w',
    curve: 'CURVE_SECP256K1',
    path: "m/44'/60'/0'/0/0",
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    publicKey: '02',
    ...dates,
  },
  mac: new Uint8Array(),
};

/** The subject of a transaction with these effects. */
export function paying(effects: readonly Effect[], fullyParsed = true): PolicySubject {
  return {
    key: account,
    parsed: { namespace: 'eth.tx', policy: { from: SELF }, effects, description: '', fullyParsed, unparsed: [] },
  };
}

/** An organization with controls by id. */
export function holding(
  controls: Readonly<Record<string, VelocityControlRecord>>,
  policies: Readonly<Record<string, PolicyText>> = {},
  more: { readonly contacts?: readonly ContactRecord[]; readonly tokens?: readonly TokenRecord[] } = {},
): Snapshot {
  const plain = organization([{ id: 'a' }, { id: 'b' }], policies);
  const byIndex = <T>(list: readonly T[] = []) => PersistentMap.from(list.map((each, index) => [String(index), each] as const));
  return {
    ...plain,
    records: {
      ...plain.records,
      velocityControl: PersistentMap.from(Object.entries(controls)),
      contact: byIndex(more.contacts),
      token: byIndex(more.tokens),
    },
  };
}

/** A request of user `a` to sign a transaction. */
export function signing(where: Snapshot, subject: PolicySubject, change: Partial<Judgement> = {}): Judgement {
  return judgement(where, [vote('a')], { definition: activities.signTransaction, subject, ...change });
}

/** Usage of buckets, in whole units. */
export function usages(used: Readonly<Record<string, bigint>>, more: Partial<Usage> = {}): ReadonlyMap<string, Usage> {
  return new Map(
    Object.entries(used).map(([bucket, amount]) => [
      bucket,
      { control: bucket.split('/')[0] ?? '', bucket, used: amount * 10n ** 18n, revision: 1, ...more },
    ]),
  );
}

export { NOW };
