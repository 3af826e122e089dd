import { newApiKey } from '../../../support/api-key.ts';
import type { Caller, Json } from '../../../support/caller.ts';
import {
  createMember,
  createPrivateKey,
  createSubOrganization,
  createWallet,
  ethereumAccount,
  privateKeyParams,
  signParams,
  subOrganizationParams,
  uniqueName,
  userParams,
} from '../../../support/world.ts';
import type { Attempt, Draft } from './history.ts';

/** Limits that a long run does not reach. */
export const roomyFlags = ['--max-wallets', '100000', '--max-users', '100000', '--max-private-keys', '100000'];

/** An organization under load. */
interface Tenant {
  readonly root: Caller;
  /** Only a top-level organization has sub-organizations. */
  readonly isTop: boolean;
  /** A user without permissions, whose requests are stored as failed. */
  readonly stranger?: Caller;
  /** The second of a root quorum of two, whose approval everything needs. */
  readonly approver?: Caller;
  readonly signWith: string[];
  /** Keys to delete, which nothing signs with. */
  readonly disposable: string[];
}

type Operation = (tenant: Tenant) => Draft | undefined;

const MOST_SIGNING_KEYS = 50;

/** Chosen as often as listed: a service mostly signs. */
const operations: readonly Operation[] = [
  ...Array<Operation>(8).fill(sign),
  signMany,
  createKeys,
  createKeys,
  wallet,
  createUser,
  subOrganization,
  deleteKey,
  denied,
];

/** A mixed load on several organizations. */
export class Workload {
  readonly #tenants: readonly Tenant[];

  private constructor(tenants: readonly Tenant[]) {
    this.#tenants = tenants;
  }

  /** Creates the organizations below `root`'s. */
  static async create(root: Caller): Promise<Workload> {
    const { caller } = await createSubOrganization(root);
    return new Workload([await plainTenant(root, true), await plainTenant(caller, false), await quorumTenant(root)]);
  }

  /** A new request. */
  draw(): Draft {
    for (;;) {
      const tenant = oneOf(this.#tenants);
      const draft = tenant.approver === undefined ? oneOf(operations)(tenant) : oneOf([sign, createKeys])(tenant);
      if (draft !== undefined) return draft;
    }
  }

  /** A signature that needs nobody's approval. */
  signature(): Draft {
    return sign(oneOf(this.#tenants.filter(({ approver }) => approver === undefined)));
  }

  /** The vote that an activity waits for, if any. */
  approvalOf(attempt: Attempt): Draft | undefined {
    if (attempt.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED' || attempt.about !== undefined) return undefined;
    const approver = this.#tenants.find(({ root }) => root === attempt.caller)?.approver;
    if (approver === undefined) return undefined;
    const { fingerprint } = attempt;
    return { name: 'approveActivity', caller: approver, parameters: { fingerprint }, effect: {}, about: attempt };
  }
}

async function plainTenant(root: Caller, isTop: boolean): Promise<Tenant> {
  const { caller: stranger } = await createMember(root);
  const { addresses } = await createWallet(root);
  return { root, isTop, stranger, signWith: [...addresses, await createPrivateKey(root)], disposable: [] };
}

async function quorumTenant(parent: Caller): Promise<Tenant> {
  const keys = [newApiKey(), newApiKey()] as const;
  const rootUsers = keys.map((key) => subOrganizationParams(key).rootUsers[0]);
  const params = {
    subOrganizationName: uniqueName('Quorum'),
    rootUsers,
    rootQuorumThreshold: 2,
    wallet: { walletName: uniqueName('Wallet'), accounts: [ethereumAccount(0)] },
  };
  const { subOrganizationId: organizationId, wallet: made } = await parent.result('createSubOrganization', params);
  const [root, approver] = keys.map((key) => parent.with({ key, organizationId }));
  return { root: root as Caller, approver: approver as Caller, isTop: false, signWith: made.addresses, disposable: [] };
}

function sign({ root, signWith }: Tenant): Draft {
  return { name: 'signRawPayload', caller: root, parameters: signParams(oneOf(signWith)), effect: {} };
}

function signMany({ root, signWith }: Tenant): Draft {
  const { payload: _, ...rest } = signParams(oneOf(signWith));
  const payloads = Array.from({ length: 5 }, () => uniqueName('Payload'));
  return { name: 'signRawPayloads', caller: root, parameters: { ...rest, payloads }, effect: {} };
}

function createKeys({ root, signWith, disposable }: Tenant): Draft {
  const privateKeys = [privateKeyParams('CURVE_SECP256K1'), privateKeyParams('CURVE_P256')];
  const learn = (result: Json) => {
    const [used, spare] = result.privateKeys.map((key: Json) => key.privateKeyId);
    if (signWith.length < MOST_SIGNING_KEYS) signWith.push(used);
    disposable.push(spare);
  };
  return { name: 'createPrivateKeys', caller: root, parameters: { privateKeys }, effect: { privateKey: 2 }, learn };
}

function wallet({ root, signWith }: Tenant): Draft {
  const accounts = [ethereumAccount(0), ethereumAccount(1)];
  const learn = (result: Json) => {
    if (signWith.length < MOST_SIGNING_KEYS) signWith.push(result.addresses[0]);
  };
  const parameters = { walletName: uniqueName('Wallet'), accounts };
  return { name: 'createWallet', caller: root, parameters, effect: { wallet: 1, walletAccount: 2 }, learn };
}

function createUser({ root }: Tenant): Draft {
  return { name: 'createUsers', caller: root, parameters: { users: [userParams(newApiKey())] }, effect: { user: 1 } };
}

function subOrganization({ root, isTop }: Tenant): Draft | undefined {
  if (!isTop) return undefined;
  const parameters = subOrganizationParams(newApiKey());
  return { name: 'createSubOrganization', caller: root, parameters, effect: { organization: 1, user: 1 } };
}

function deleteKey({ root, disposable }: Tenant): Draft | undefined {
  const id = disposable.pop();
  if (id === undefined) return undefined;
  const parameters = { privateKeyIds: [id], deleteWithoutExport: true };
  return { name: 'deletePrivateKeys', caller: root, parameters, effect: { privateKey: -1 } };
}

function denied({ stranger, signWith }: Tenant): Draft | undefined {
  return stranger && { name: 'signRawPayload', caller: stranger, parameters: signParams(oneOf(signWith)), effect: {} };
}

/** A random item of a list, all equally likely. */
export function oneOf<T>(list: readonly T[]): T {
  return list[Math.floor(Math.random() * list.length)] as T;
}
