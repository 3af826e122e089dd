import type { Answer, Caller, SubmitChoice } from '../../support/caller.ts';
import type { RawDatabase } from '../../support/raw-database.ts';
import { createWallet, type Member, signParams, uniqueName } from '../../support/world.ts';
import { createOrganization, createPolicy, memberAt, type Organization, userIs } from '../policies/support.ts';
import { ethereumTransaction } from '../policies/transactions.ts';

const METHOD = 'VELOCITY_CONTROL_AGGREGATION_METHOD_';
const OPERATOR = 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_';

export interface LimitChoice {
  readonly identifier?: string;
  readonly threshold: string;
  /** The length of a rolling window; everything counts by default. */
  readonly seconds?: number;
  readonly groupBy?: object;
  readonly operator?: string;
  /** The activities that count. */
  readonly types?: readonly string[];
}

const windowOf = (seconds: number | undefined) =>
  seconds === undefined ? { infinite: {} } : { rolling: { duration: String(seconds) } };

const aggregationOf = (method: string, { threshold, seconds, groupBy, operator = 'LESS_THAN_OR_EQUAL' }: LimitChoice) => ({
  method: METHOD + method,
  operator: OPERATOR + operator,
  threshold,
  window: windowOf(seconds),
  groupBy: groupBy ?? { organization: {} },
});

/** A limit on the number of activities: signatures over raw payloads by default. */
export async function limitSignatures(root: Caller, choice: LimitChoice): Promise<string> {
  const { types = ['ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'] } = choice;
  const filter = { activity: types.map((activityType) => ({ activityType })) };
  const { velocityControlId } = await root.result('createVelocityControl', {
    name: uniqueName('Signatures'),
    identifier: choice.identifier ?? 'few',
    dataSource: { activityExecution: { filter } },
    aggregation: aggregationOf('COUNT', choice),
  });
  return velocityControlId;
}

/** A limit on the ether that leaves, in ether. */
export async function limitEther(root: Caller, choice: LimitChoice): Promise<string> {
  const { velocityControlId } = await root.result('createVelocityControl', {
    name: uniqueName('Ether'),
    identifier: choice.identifier ?? 'ether',
    dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
    aggregation: aggregationOf('SUM', choice),
  });
  return velocityControlId;
}

/** An organization whose member may sign as long as limits hold. */
export interface Limited extends Organization {
  readonly member: Member;
  readonly address: string;
  /** Signs a message as the member. */
  sign(url?: string): Promise<Answer>;
  /** Signs a transfer of so many thousandths of an ether as the member. */
  spend(thousandths: number, url?: string, choice?: SubmitChoice): Promise<Answer>;
}

export async function createLimited(
  parent: Caller,
  condition: string,
  limits: (root: Caller) => Promise<unknown>,
): Promise<Limited> {
  const organization = await createOrganization(parent, { roots: 2, members: 2 });
  const member = memberAt(organization, 0);
  const { addresses } = await createWallet(organization.root);
  const address = addresses[0] as string;
  await limits(organization.root);
  await createPolicy(organization.root, 'ALLOW', { condition, consensus: userIs(member) });
  const at = (url: string | undefined) => (url === undefined ? member.caller : member.caller.with({ url }));
  return {
    ...organization,
    member,
    address,
    sign: (url) => at(url).submit('signRawPayload', signParams(address)),
    spend: (thousandths, url, choice) => at(url).submit('signTransaction', transferParams(address, thousandths), choice),
  };
}

export function transferParams(signWith: string, thousandths: number) {
  const value = BigInt(thousandths) * 10n ** 15n;
  const unsignedTransaction = ethereumTransaction({ value, nonce: BigInt(Math.floor(Math.random() * 2 ** 40)) });
  return { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
}

/** A stored count. */
export interface StoredPoint {
  readonly bucket: string;
  readonly revision: number;
  readonly atMs: number;
  /** Scaled by 10^18. */
  readonly total: bigint;
  readonly activityId: string;
}

export async function pointsOf(raw: RawDatabase, organizationId: string): Promise<readonly StoredPoint[]> {
  const sql = 'SELECT * FROM usage_points WHERE organization_id = ? ORDER BY bucket, revision';
  return (await raw.all(sql, organizationId)).map((row) => ({
    bucket: String(row.bucket),
    revision: Number(row.revision),
    atMs: Number(row.at_ms),
    total: BigInt(String(row.total)),
    activityId: String(row.activity_id),
  }));
}

export const ONE = 10n ** 18n;

/** How many answers have each status. */
export function statuses(answers: readonly Answer[]): Readonly<Record<number, number>> {
  const found: Record<number, number> = {};
  for (const { status } of answers) found[status] = (found[status] ?? 0) + 1;
  return found;
}
