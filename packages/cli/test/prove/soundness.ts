import { activityKind } from '@countersign/contract';
import type { Solver } from '@countersign/judgement';
import { decideRequest, type JudgedOrganization, policyOptionsOf } from '@countersign/judgement';
import { type DecisionRequest, decide, type PolicySource, type PolicyValue, prove, type Verdict } from '@countersign/policy';
import { compilePolicies } from '../../../policy/src/decide/policy-set.ts';
import { readRequest } from '../../../policy/src/decide/read-request.ts';
import { type CompiledExpression, compileExpression, evaluateExpression } from '../../../policy/src/expression.ts';
import type { World } from '../../../policy/src/prove/symbolic-request.ts';
import type { PolicyField } from '../../../policy/src/value.ts';
import { embedded, longestList } from './embed.ts';
import { ExpressionMaker } from './expressions.ts';
import {
  approvals,
  decideAsService,
  judge,
  makeOrganization,
  offlineWorldOf,
  provenActivity,
  requestOf,
  withPolicies,
  worldOf,
} from './proof-world.ts';
import { Random } from './random.ts';
import type { RealRequest } from './real-requests.ts';

/** Longer lists make a question slow. Requests with longer ones are tried against proofs for all lengths only. */
const MAX_EMBEDDED_LIST = 8;

/** One question in so many is also checked for the request that it was made around. */
const COVER_EVERY = 4;

/** Something that the service allows although it was proven impossible, or a request that no proof covers. */
export interface Unsound {
  readonly what: 'PROVEN' | 'COUNTEREXAMPLE' | 'NOT_COVERED';
  readonly request: string;
  readonly policies: readonly PolicySource[];
  readonly forbid: string;
  readonly unless?: string | undefined;
}

/** Results by the kind of activity and the chain. */
export interface Tally {
  questions: number;
  PROVEN: number;
  REFUTED: number;
  UNKNOWN: number;
  /** Requests that were tried against proofs. */
  tried: number;
}

export interface FuzzResult {
  readonly unsound: readonly Unsound[];
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly unknown: ReadonlyMap<string, number>;
}

export interface FuzzOptions {
  readonly questions: number;
  readonly seed: number;
  readonly solver: Solver;
  readonly requests: readonly RealRequest[];
  readonly timeoutMs?: number;
  readonly progress?: (done: number) => void;
}

/** A request with its approvers, in an organization without policies. */
interface Tried {
  readonly real: RealRequest;
  readonly approvers: readonly string[];
  readonly hasUsage: boolean;
  readonly request: DecisionRequest;
}

interface AskedQuestion {
  readonly policies: readonly PolicySource[];
  readonly forbid: string;
  readonly unless?: string | undefined;
}

/** Asks random questions, and tries each answer with real requests. */
export async function fuzzProofs({
  questions,
  seed,
  solver,
  requests,
  timeoutMs = 500,
  progress,
}: FuzzOptions): Promise<FuzzResult> {
  const random = new Random(seed);
  const where = makeOrganization(addressesIn(requests, random));
  const pool = new Pool(where, requests, random);
  const tallies = new Map<string, Tally>();
  const unknown = new Map<string, number>();
  const unsound: Unsound[] = [];
  for (let done = 0; done < questions; done += 1) {
    const center = pool.pick();
    const { definition, type, chain } = center.real;
    const makeWorld = random.chance(0.5) ? worldOf : offlineWorldOf;
    const world = makeWorld(where, provenActivity(definition, activityKind(type)));
    const asked = new QuestionMaker(random, world, where, center).make(random.chance(0.5));
    const report = (what: Unsound['what'], { real, approvers }: Tried) =>
      unsound.push({ what, request: `${real.name}, ${real.type}, by ${approvers.join(' and ') || 'none'}`, ...asked });
    const compiled = compileQuestion(asked, world);
    const verdict = await prove(compiled.set, compiled.property, world, {
      listSize: 2,
      includeRoot: false,
      decide: decideRequest,
      solve: (script) => solver.solve(script, timeoutMs),
    });
    const tally = tallyOf(tallies, `${activityKind(type)}${chain === '' ? '' : ` ${chain}`}`);
    tally.questions += 1;
    tally[verdict.verdict] += 1;
    if (verdict.verdict === 'UNKNOWN') unknown.set(verdict.reason, (unknown.get(verdict.reason) ?? 0) + 1);
    const tried = pool.ofKind(activityKind(type)).filter((each) => isWithin(each, verdict));
    if (verdict.verdict === 'PROVEN' || isVacuous(verdict)) {
      tally.tried += tried.length;
      const against = tried.find((each) => violates(where, asked, compiled, each));
      if (against !== undefined) report('PROVEN', against);
    }
    if (verdict.verdict === 'REFUTED' && !isCounterExample(compiled, verdict)) report('COUNTEREXAMPLE', center);
    // The largest script of all: every parameter of every activity.
    if (done % COVER_EVERY === 0 && !(await isCovered(where, center, compiled, world, solver))) report('NOT_COVERED', center);
    progress?.(done + 1);
  }
  return { unsound, tallies, unknown };
}

/** Whether a proof covers the request, and reads the expressions of the question as the engine does. */
export async function isCovered(
  where: JudgedOrganization,
  { request }: Pick<Tried, 'request'>,
  { expressions }: Pick<Compiled, 'expressions'>,
  world: World,
  solver: Solver,
): Promise<boolean> {
  const longest = longestIn(request);
  if (longest > MAX_EMBEDDED_LIST) return true;
  const script = embedded(world, request, expressions, Math.max(1, longest), policyOptionsOf(where));
  return !(await solver.solve(script, 5_000)).startsWith('unsat');
}

function isVacuous(verdict: Verdict): boolean {
  return verdict.verdict === 'UNKNOWN' && verdict.reason === 'NOTHING_FORBIDDEN';
}

function isWithin({ request }: Tried, verdict: Verdict): boolean {
  return verdict.verdict !== 'PROVEN' || verdict.upTo === undefined || longestIn(request) <= verdict.upTo;
}

const longest = new WeakMap<DecisionRequest, number>();

function longestIn(request: DecisionRequest): number {
  const known = longest.get(request);
  if (known !== undefined) return known;
  const { namespaces, activity } = request;
  const params = (activity.given?.() ?? []).map((name) => activity.params?.(name));
  const values: (PolicyValue | undefined)[] = [...Object.entries(namespaces)]
    .filter(([path]) => path !== 'contacts')
    .map(([, value]) => (typeof value === 'function' ? value() : value));
  const lists = [activity.given, activity.added, activity.removed].map((read) => read?.() ?? []);
  const found = Math.max(0, ...[...values, ...params, ...lists].map((value) => (value === undefined ? 0 : longestList(value))));
  longest.set(request, found);
  return found;
}

interface Compiled {
  readonly set: ReturnType<typeof compilePolicies>;
  readonly property: { readonly name: string; readonly forbid: CompiledExpression; readonly unless?: CompiledExpression };
  readonly expressions: readonly CompiledExpression[];
}

function compileQuestion({ policies, forbid, unless }: AskedQuestion, { options }: World): Compiled {
  const set = compilePolicies(policies, options);
  const property = {
    name: 'random',
    forbid: expressionOf(forbid, 'condition', options),
    ...(unless !== undefined && { unless: expressionOf(unless, 'consensus', options) }),
  };
  const own = set.policies.flatMap(({ condition, consensus, time }) => [condition, consensus, time]);
  return { set, property, expressions: [property.forbid, property.unless, ...own].filter((each) => each !== undefined) };
}

function expressionOf(text: string, field: PolicyField, options: World['options']): CompiledExpression {
  const { expression } = compileExpression(text, field, options);
  if (expression === undefined) throw new Error(`does not compile: ${text}`);
  return expression;
}

/** Whether the service allows a request that violates the property. */
function violates(where: JudgedOrganization, { policies }: AskedQuestion, { set, property }: Compiled, tried: Tried): boolean {
  const { values } = readRequest(tried.request);
  if (evaluateExpression(property.forbid, values) !== true) return false;
  if (property.unless !== undefined && evaluateExpression(property.unless, values) === true) return false;
  if (decide(set, tried.request).outcome !== 'ALLOW') return false;
  const decision = decideAsService(judge(withPolicies(where, policies), tried.real, tried.approvers, tried.hasUsage));
  return decision.outcome === 'ALLOW' && decision.by !== 'ROOT_QUORUM';
}

/** Whether the service allows the counterexample, decided once more. Policies are read as the proof read them. */
function isCounterExample(
  { set }: Compiled,
  { counterExample: { request, decision } }: Verdict & { verdict: 'REFUTED' },
): boolean {
  const again = decideRequest(set, request);
  // A control that does not exist in this kind of activity is read differently. The proof has decided with that.
  const readsControls = set.policies.some(({ source }) => source.condition?.includes('controls.'));
  return readsControls || (again.outcome === 'ALLOW' && again.by === decision.by);
}

function tallyOf(tallies: Map<string, Tally>, key: string): Tally {
  const found = tallies.get(key) ?? { questions: 0, PROVEN: 0, REFUTED: 0, UNKNOWN: 0, tried: 0 };
  tallies.set(key, found);
  return found;
}

/** All requests with all approvers, grouped by kind, so that rare kinds are asked as often as signatures. */
class Pool {
  private readonly random: Random;
  private readonly byKind = new Map<string, Tried[]>();

  constructor(where: JudgedOrganization, requests: readonly RealRequest[], random: Random) {
    this.random = random;
    for (const real of requests) {
      const group = this.byKind.get(activityKind(real.type)) ?? [];
      this.byKind.set(activityKind(real.type), group);
      for (const approvers of approvals) {
        const hasUsage = random.chance(0.7);
        group.push({ real, approvers, hasUsage, request: requestOf(judge(where, real, approvers, hasUsage)) });
      }
    }
  }

  /** A request: a signature, half of the time. */
  pick(): Tried {
    const { random } = this;
    const signings = ['SIGN_TRANSACTION', 'SIGN_TRANSACTION', 'SIGN_TRANSACTION', 'SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS'];
    const present = signings.filter((kind) => this.byKind.has(kind));
    const kind = random.chance(0.5) && present.length > 0 ? random.pick(present) : random.pick([...this.byKind.keys()]);
    return random.pick(this.ofKind(kind));
  }

  ofKind(kind: string): readonly Tried[] {
    return this.byKind.get(kind) ?? [];
  }
}

function addressesIn(requests: readonly RealRequest[], random: Random): readonly string[] {
  const receivers = requests.flatMap(({ subject: { parsed } }) =>
    (parsed?.effects ?? []).flatMap((effect) => ('to' in effect && effect.to !== undefined ? [effect.to] : [])),
  );
  return random
    .some(
      [...new Set(receivers)].filter((text) => text !== '' && !/^[A-Z_]+$/.test(text)),
      0.3,
    )
    .slice(0, 12);
}

/** Makes questions around one request. */
class QuestionMaker {
  private readonly random: Random;
  private readonly world: World;
  private readonly where: JudgedOrganization;
  private readonly center: Tried;
  private readonly maker: ExpressionMaker;

  constructor(random: Random, world: World, where: JudgedOrganization, center: Tried) {
    this.random = random;
    this.world = world;
    this.where = where;
    this.center = center;
    this.maker = new ExpressionMaker(random, world.options);
  }

  /** `aimed`: the service allows the request, although the property forbids it, if such a question is found. */
  make(aimed: boolean): AskedQuestion {
    if (!aimed) return this.unaimed();
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const asked = this.aimed();
      if (violates(this.where, asked, compileQuestion(asked, this.world), this.center)) return asked;
    }
    return this.unaimed();
  }

  private unaimed(): AskedQuestion {
    const { random } = this;
    const policies = Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) =>
      this.policy(`p${index}`, random.chance(0.7) ? 'EFFECT_ALLOW' : 'EFFECT_DENY', () => true),
    );
    const unless = random.chance(0.3) ? this.text('consensus') : undefined;
    // A property that is near a condition of a policy is proven more often than one of its own.
    const [first] = policies;
    const near = first?.condition === undefined || random.chance(0.4) ? undefined : this.negated(first.condition, 'condition');
    return { policies, forbid: near ?? this.text('condition'), unless };
  }

  /** Undefined if the language does not let an expression be negated, such as one with `has`. */
  private negated(text: string, field: PolicyField): string | undefined {
    const negation = `!(${text})`;
    return compileExpression(negation, field, this.world.options).expression === undefined ? undefined : negation;
  }

  private aimed(): AskedQuestion {
    const { random } = this;
    const isTrue = (value: unknown) => value === true;
    const policies = [
      this.policy('p0', 'EFFECT_ALLOW', isTrue),
      ...(random.chance(0.6) ? [this.policy('p1', 'EFFECT_DENY', (value) => value !== true)] : []),
      ...(random.chance(0.3) ? [this.policy('p2', 'EFFECT_ALLOW', () => true)] : []),
    ];
    const unless = random.chance(0.4) ? this.wanted('consensus', (value) => value !== true) : undefined;
    return { policies, forbid: this.wanted('condition', isTrue), unless };
  }

  private policy(id: string, effect: PolicySource['effect'], accepts: (value: unknown) => boolean): PolicySource {
    const { random } = this;
    const condition = this.wanted('condition', accepts);
    const isAllow = effect === 'EFFECT_ALLOW';
    const consensus = random.chance(0.5) ? this.wanted('consensus', isAllow ? accepts : () => true) : undefined;
    const time = random.chance(0.15) ? this.wanted('time', isAllow ? accepts : () => true) : undefined;
    return { id, effect, condition, ...(consensus !== undefined && { consensus }), ...(time !== undefined && { time }) };
  }

  /** An expression whose value for the request is accepted, if one is found soon. A false one is negated. */
  private wanted(field: PolicyField, accepts: (value: unknown) => boolean): string {
    const { values } = readRequest(this.center.request);
    let text = this.text(field);
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const value = evaluateExpression(expressionOf(text, field, this.world.options), values);
      if (accepts(value)) return text;
      const negation = typeof value === 'boolean' && accepts(!value) ? this.negated(text, field) : undefined;
      if (negation !== undefined) return negation;
      text = this.text(field);
    }
    return text;
  }

  private text(field: PolicyField): string {
    return this.maker.make(field, readRequest(this.center.request).values);
  }
}
