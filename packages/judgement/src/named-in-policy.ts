import { activityKind } from '@countersign/contract';
import {
  type CompiledPolicy,
  type DecisionRequest,
  isRecord,
  type Names,
  namesIn,
  type PolicyValue,
  type Replace,
  readsPath,
  type StepBudget,
  withOtherTexts,
} from '@countersign/policy';
import { otherActivity } from './activity-view.ts';
import { canonicalEmail } from './canonical-email.ts';
import { OTHERS_FREE } from './controls/model.ts';
import { toDecisionRequest } from './decision-request.ts';
import type { Judgement } from './judgement.ts';
import { namedInText } from './named-in-text.ts';
import { spelling } from './normalizers.ts';
import { rulesOf } from './rules.ts';
import { isTrustTouch, type TrustTouch } from './subject.ts';
import { isTrusted, type Trusts, trustsIn } from './trusted-attributes.ts';

/** Something that a policy allows only if its condition names it. */
export interface MustBeNamed {
  /** Whether a policy names it. False if the budget does not suffice to find out. */
  readonly isNamedIn: (policy: CompiledPolicy, budget: StepBudget) => boolean;
  /** Why policies that do not name it do not count, as a sentence for explanations. */
  readonly why: string;
}

/** The parts of a judgement on which it depends what must be named. */
export interface Guarded extends Pick<Judgement, 'definition' | 'type'> {
  readonly subject: Pick<Judgement['subject'], 'touches'> & {
    readonly parsed?: Pick<NonNullable<Judgement['subject']['parsed']>, 'namespace' | 'policy'> | undefined;
  };
  readonly request: () => DecisionRequest;
  readonly trusts: () => Trusts;
}

/** The most trusted attributes that a policy can name in one request. Each of them costs an evaluation of every policy. */
const MAX_ATTRIBUTES = 32;

/**
 * The parts of this request that a policy must name to allow it.
 * SECURITY: a policy for the ordinary case does not mean to allow these. An ALLOW whose condition does not name them is not evaluated. This
 * does not restrict the root quorum.
 * INVARIANT: a condition names something only if it does not hold for the same request with another value. So an ALLOW with a
 * narrower condition never allows more, unless the addition itself demands what must be named. How a condition is written does not matter.
 */
export function mustBeNamed(judgement: Judgement): readonly MustBeNamed[] {
  if (!rulesOf(judgement).namesByValue) return namedInText(judgement).map(inText);
  const { definition, type, subject, organization } = judgement;
  const request = () => toDecisionRequest(judgement);
  return mustBeNamedIn({ definition, type, subject, request, trusts: () => trustsIn(organization) });
}

/** The same for a request that has no organization, by the current rules. */
export function mustBeNamedIn(guarded: Guarded): readonly MustBeNamed[] {
  const some = [delegation(guarded), deployment(guarded), resource(guarded), freeAssets(guarded), ...trusted(guarded)];
  return some.filter((each) => each !== undefined);
}

const inText = ({ isNamedIn, why }: ReturnType<typeof namedInText>[number]): MustBeNamed => ({
  isNamedIn: ({ source }) => isNamedIn(source.condition ?? ''),
  why,
});

/** Returns a test of whether the condition of a policy names what `replace` replaces. */
function named(guarded: Guarded, replace: Replace): MustBeNamed['isNamedIn'] {
  let names: Names | undefined;
  return ({ condition }, budget) => {
    names ??= namesIn(guarded.request(), replace);
    return names(condition, budget);
  };
}

const everyText = (value: PolicyValue) => withOtherTexts(value, () => true);

/** Replaces members of the transaction. */
function inTransaction(
  replaced: (tx: { readonly [field: string]: PolicyValue }) => Readonly<Record<string, PolicyValue>>,
): Replace {
  return (path, value) => (path === 'eth.tx' && isRecord(value) ? { ...value, ...replaced(value) } : value);
}

/** D36: a policy on `to` and `value` does not mean to delegate an account's code to another party (EIP-7702). */
function delegation(guarded: Guarded): MustBeNamed | undefined {
  const { parsed } = guarded.subject;
  if (parsed?.namespace !== 'eth.tx' || parsed.policy.type !== 'TYPE_4') return undefined;
  return {
    isNamedIn: named(
      guarded,
      inTransaction(({ type = '', authorization_list = [] }) => ({
        type: everyText(type),
        authorization_list: everyText(authorization_list),
      })),
    ),
    why: 'the transaction hands the code of an account to somebody else (EIP-7702), and no policy that allows it demands that, by `eth.tx.type` or the addresses in `eth.tx.authorization_list`',
  };
}

/** D44: a policy on recipients, such as `eth.tx.to != '0x…'`, does not cover contract creations. See docs/decisions/0019. */
function deployment(guarded: Guarded): MustBeNamed | undefined {
  const { parsed } = guarded.subject;
  if (parsed?.namespace !== 'eth.tx' || parsed.policy.is_deployment !== true) return undefined;
  const isNamedIn = named(
    guarded,
    inTransaction(({ to = '' }) => ({ to: everyText(to), is_deployment: false })),
  );
  return {
    isNamedIn: (policy, budget) => !readsReceiver(policy) || isNamedIn(policy, budget),
    why: "the transaction creates a contract, and no policy that allows it demands `eth.tx.is_deployment` or `eth.tx.to == ''`",
  };
}

/** Whether a condition reads `eth.tx.to`. */
function readsReceiver({ condition }: CompiledPolicy): boolean {
  return condition !== undefined && readsPath(condition, 'eth.tx.to');
}

/** Why a policy for all changes does not mean to change these resources. */
const trustedResources: ReadonlyMap<string, string> = new Map([
  ['CONFIG', 'it changes where passkeys work, or how people sign in'],
  ['CONTACT', 'it says whom payments may go to'],
  ['CREDENTIAL', 'it changes with what people act'],
  ['FREEZE', 'it suspends users, keys or the whole organization'],
  ['POLICY', 'it changes who may do what'],
  ['SMART_CONTRACT_INTERFACE', 'it says what calls of a contract mean'],
  ['TOKEN', 'it says which contract counts as which token'],
  ['VELOCITY_CONTROL', 'it changes a limit that other policies rest on'],
]);

/** A policy for all updates does not mean to change data on which other policies depend. */
function resource(guarded: Guarded): MustBeNamed | undefined {
  const { resource: name } = guarded.definition.policy;
  const does = trustedResources.get(name);
  if (does === undefined) return undefined;
  return {
    isNamedIn: named(guarded, otherActivity),
    why: `${does}, and no policy that allows it demands the resource \`${name}\` or the kind \`${activityKind(guarded.type)}\``,
  };
}

const OTHER_ASSETS = 'other_assets';

/** D489: a policy on the threshold of a limit does not mean to free all assets that the limit does not count. */
function freeAssets(guarded: Guarded): MustBeNamed | undefined {
  if (activityKind(guarded.type) !== 'UPDATE_VELOCITY_CONTROL') return undefined;
  const { params, given } = guarded.request().activity;
  if (params?.(OTHER_ASSETS) !== OTHERS_FREE || given?.().includes(OTHER_ASSETS) !== true) return undefined;
  const path = `activity.params.${OTHER_ASSETS}`;
  return {
    isNamedIn: named(guarded, (at, value) => (at === path ? everyText(value) : value)),
    why: `the limit would say nothing more about other assets, and no policy that allows it demands \`${path} == '${OTHERS_FREE}'\``,
  };
}

/** How a policy names one kind of attribute. */
interface Naming<T extends TrustTouch> {
  readonly values: (touch: T) => readonly string[];
  readonly canonical?: (text: string) => string;
  /** Activities that do nothing but change this attribute. Their kind or type names it too. */
  readonly kinds: readonly string[];
  readonly why: string;
}

const why = (what: string) =>
  `${what} that policies trust, and no policy that allows it demands exactly that, by \`activity.params\`, \`activity.added\` or \`activity.removed\``;

/** Every attribute for which policies trust users, keys and wallets, other than addresses. */
const namings: { readonly [W in Exclude<TrustTouch['what'], 'ACCOUNT_ADDRESS'>]: Naming<TrustTouch & { readonly what: W }> } = {
  TAGS: {
    values: ({ tagIds }) => tagIds,
    kinds: ['UPDATE_USER_TAG', 'DELETE_USER_TAGS'],
    why: why('a user gains or loses a tag'),
  },
  NAME: {
    values: ({ userName }) => [userName],
    kinds: ['UPDATE_USER_NAME'],
    why: why('a user gains or loses a name'),
  },
  EMAIL: {
    values: ({ userEmail }) => [userEmail],
    canonical: canonicalEmail,
    kinds: ['UPDATE_USER_EMAIL'],
    why: why('a user gains or loses an e-mail address'),
  },
  KEY_TAGS: {
    values: ({ tagIds }) => tagIds,
    kinds: ['UPDATE_PRIVATE_KEY_TAG', 'DELETE_PRIVATE_KEY_TAGS'],
    why: why('a key gains or loses a tag'),
  },
  WALLET_NAME: {
    values: ({ walletName }) => [walletName],
    kinds: ['UPDATE_WALLET'],
    why: why('a wallet gains or loses a name'),
  },
};

const ATTRIBUTES = /^activity\.(?:params\.|added$|removed$)/;
const KINDS: readonly string[] = ['activity.kind', 'activity.type'];

/**
 * A policy for managing users, keys or wallets does not mean to assign attributes that other policies trust, or to remove attributes for
 * which other policies deny. Each attribute must be named on its own.
 */
function trusted(guarded: Guarded): MustBeNamed[] {
  const touches = (guarded.subject.touches ?? []).filter(isTrustTouch);
  if (touches.length === 0) return [];
  const trusts = guarded.trusts();
  const kind = activityKind(guarded.type);
  const found = new Map<string, MustBeNamed>();
  for (const touch of touches) {
    if (touch.what === 'ACCOUNT_ADDRESS') {
      if (isTrusted(trusts, touch.what, spelling.address(touch.address))) found.set(touch.what, anotherAddress(guarded));
      continue;
    }
    const naming = namings[touch.what] as Naming<TrustTouch>;
    const { canonical = (text: string) => text } = naming;
    for (const attribute of new Set(naming.values(touch).map(canonical))) {
      if (!isTrusted(trusts, touch.what, attribute)) continue;
      const replace: Replace = (path, value) => {
        if (ATTRIBUTES.test(path)) return withOtherTexts(value, (text) => canonical(text) === attribute);
        return KINDS.includes(path) && naming.kinds.includes(kind) ? everyText(value) : value;
      };
      found.set(`${touch.what}/${attribute}`, { isNamedIn: named(guarded, replace), why: naming.why });
    }
  }
  return found.size <= MAX_ATTRIBUTES ? [...found.values()] : [tooMany];
}

const tooMany: MustBeNamed = {
  isNamedIn: () => false,
  why: `the request changes more than ${MAX_ATTRIBUTES} tags and names that policies trust. Split it, or ask the root quorum`,
};

/** A policy that denies an activity for one address of a key does not see the other addresses. */
function anotherAddress(guarded: Guarded): MustBeNamed {
  return {
    isNamedIn: named(guarded, (path, value) => (path === 'activity.params.accounts' ? everyText(value) : value)),
    why: 'a key whose address policies trust gets another address, and no policy that allows it demands something of `activity.params.accounts`',
  };
}
