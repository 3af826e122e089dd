import type { CheckOptions, Normalizers } from '../check/options.ts';
import type { DecisionRequest, HostValue, PolicyUser } from '../request.ts';
import { controlOf } from '../schema/controls.ts';
import { activityKind, approvers, credentials, requester, timeNow } from '../schema/engine.ts';
import type { Namespace } from '../schema/namespace.ts';
import { parameterOf } from '../schema/parameters.ts';
import { isPayment } from '../schema/payments.ts';
import { namespaces } from '../schema/schema.ts';
import { transactionKinds } from '../schema/transaction-kinds.ts';
import { addressKinds } from '../types.ts';
import type { PolicyValue } from '../value.ts';
import { ContactBook } from './contact-book.ts';
import { decodeValue, type Piece, textOf } from './decode.ts';
import { People } from './people.ts';
import type { Symbolic } from './symbolic.ts';
import { isTrueIn, type Model, type Symbols } from './symbols.ts';
import { and, fewerThan, no, not, or, same, type Term, yes } from './term.ts';
import { knownRecord, ValueMaker } from './values.ts';

/** The activity that a property covers. */
export interface ProvenActivity {
  readonly kind: string;
  readonly resource: string;
  readonly action: string;
  /** All types of this kind, one per version. */
  readonly types: readonly string[];
  /** Users may do it to their own credentials without a policy. */
  readonly selfService: boolean;
  /** One member of the root quorum may do it without a policy. */
  readonly rootUserSuffices?: boolean;
  /** A key that was sent by mail may do it, regardless of policies. */
  readonly oneTimeKeySuffices?: boolean;
}

/** The context of a question, apart from the policies and the property. */
export interface World {
  readonly activity: ProvenActivity;
  readonly users: readonly PolicyUser[];
  readonly rootQuorum: DecisionRequest['rootQuorum'];
  readonly options: CheckOptions;
}

interface Entry {
  readonly namespace: Namespace;
  readonly absent: Term;
  /** The namespace is required but missing. */
  readonly lost: Term;
  readonly value: () => Symbolic;
  made?: Symbolic;
}

/** The last millisecond of the year 9999, the latest timestamp. */
const LATEST = 253_402_300_799_999n;

/** The lists that the engine reads from the activity itself. */
const listsOfActivity: readonly string[] = ['activity.given', 'activity.added', 'activity.removed'];

/**
 * The namespaces that every request has.
 * INVARIANT: the engine or the host provides them for each activity that policies decide. Any other namespace can be absent.
 */
const inEveryRequest: ReadonlySet<string> = new Set([
  'approvers',
  'credentials',
  'requester',
  'time.now',
  'activity.type',
  'activity.kind',
  'activity.resource',
  'activity.action',
  ...listsOfActivity,
  'contacts',
]);

/**
 * Any request of one kind of activity.
 * INVARIANT: every request that the service can decide is among them, with the values that its parsers return. A test embeds real requests of
 * every kind and chain. Each assertion here is an assumption of every proof.
 */
export class SymbolicRequest {
  readonly people: People;
  /** Whether the submitter may do it to their own credentials. */
  readonly selfService: Term;
  /** Whether the submitter is a member of the root quorum, and one member is enough. */
  readonly rootUser: Term;
  /** Slices of texts that expressions read. */
  readonly pieces: Piece[] = [];
  private readonly world: World;
  private readonly symbols: Symbols;
  private readonly maker: ValueMaker;
  private readonly contacts: ContactBook;
  private readonly type: Term;
  private readonly entries = new Map<string, Entry>();
  /** Whether controls have no value together with others, by `uncoveredKey`. */
  private readonly open = new Map<string, Term>();

  constructor(world: World, symbols: Symbols, listSize: number) {
    this.world = world;
    this.symbols = symbols;
    this.maker = new ValueMaker(symbols, listSize);
    this.people = new People(world.users, world.rootQuorum, symbols, this.maker);
    this.contacts = new ContactBook(symbols);
    this.type = symbols.text();
    symbols.assert(or(...world.activity.types.map((type) => same(this.type, symbols.atom(type)))));
    this.selfService = world.activity.selfService ? this.people.someApproved : no;
    this.rootUser = world.activity.rootUserSuffices === true ? this.people.rootMemberApproved : no;
    for (const namespace of namespaces) if (namespace.read === undefined) this.enter(namespace, this.presence(namespace));
    this.assertPresence();
  }

  /** A namespace of the request. */
  namespace(namespace: Namespace): { readonly absent: Term; readonly lost: Term; readonly value: Symbolic } {
    const entry = this.entries.get(namespace.path) ?? this.enter(namespace, this.presence(namespace));
    entry.made ??= entry.value();
    return { absent: entry.absent, lost: entry.lost, value: entry.made };
  }

  /** Whether reading a namespace is an error although the request has it. */
  missing({ existsIf }: Namespace): Term {
    const entry = existsIf === undefined ? undefined : this.entries.get(existsIf);
    const exists = entry === undefined ? undefined : this.namespace(entry.namespace).value;
    return exists?.kind === 'bool' ? not(exists.term) : no;
  }

  /**
   * Whether a control has no value together with these controls, because the request moves an asset that none of them counts. What the controls
   * count is not modelled, so both are possible.
   */
  uncovered({ path }: Namespace, beside: readonly string[]): Term {
    const name = controlOf(path);
    const { controls = [] } = this.world.options;
    if (name === undefined || controls.find((each) => each.name === name)?.otherAssets === 'FREE') return no;
    const key = uncoveredKey(name, beside);
    const known = this.open.get(key) ?? this.symbols.bool();
    this.open.set(key, known);
    return known;
  }

  /** Asserts that the request creates no contract, delegates no account and changes no attribute. */
  assertPlain(): void {
    const transaction = this.entries.get('eth.tx')?.made;
    if (transaction?.kind === 'record') {
      for (const [name, word] of [
        ['type', 'TYPE_4'],
        ['to', ''],
      ] as const) {
        const field = transaction.made.get(name)?.value;
        if (field?.kind === 'text') this.symbols.assert(not(same(field.term, this.symbols.atom(word))));
      }
      const creates = transaction.made.get('is_deployment');
      if (creates?.value.kind === 'bool') this.symbols.assert(not(creates.value.term));
    }
    for (const path of ['activity.added', 'activity.removed']) {
      const list = this.entries.get(path)?.made;
      if (list?.kind === 'list') for (const { present } of list.places) this.symbols.assert(not(present));
    }
  }

  /** Call after every expression is encoded. */
  finish(): void {
    this.maker.assertSpellings(this.world.options.normalizers ?? {});
  }

  /**
   * The request of a model. Values that no expression reads are left out. `readable`: addresses are addresses. That can change the request,
   * so the caller checks it.
   */
  decode(model: Model, readable: boolean): DecisionRequest {
    const { activity, users, rootQuorum, options } = this.world;
    const isAddress = readable ? isAddressIn(options.normalizers ?? {}) : undefined;
    const decoding = { model, named: this.symbols.namedTexts, pieces: this.pieces, isAddress };
    const params = new Map<string, PolicyValue>();
    const found: Record<string, HostValue> = {
      contacts: this.contacts.decode(model, (address) => textOf(address, true, decoding)),
    };
    /** Lists that the engine reads from the activity, by path. */
    const lists = new Map<string, readonly string[]>();
    let now = 0n;
    for (const { namespace, absent, lost, made } of this.entries.values()) {
      if (namespace.path === 'contacts' || isTrueIn(absent, model) || isTrueIn(lost, model)) continue;
      const exists = namespace.existsIf === undefined ? undefined : this.entries.get(namespace.existsIf)?.made;
      if (exists?.kind === 'bool' && !isTrueIn(exists.term, model)) continue;
      const value = made === undefined ? emptyValue(namespace) : decodeValue(made, decoding);
      const parameter = parameterOf(namespace.path);
      if (value === undefined) continue;
      if (parameter !== undefined) params.set(parameter, value);
      else if (listsOfActivity.includes(namespace.path)) lists.set(namespace.path, value as readonly string[]);
      else if (namespace === timeNow) now = value as bigint;
      else if (namespace.read === undefined) found[namespace.path] = value;
    }
    const people = this.people.decode(model);
    const { userIds } = rootQuorum;
    return {
      ...people,
      requesterId: people.approvers[0]?.id,
      activity: {
        type: textOf(this.type, false, decoding),
        kind: activity.kind,
        resource: activity.resource,
        action: activity.action,
        params: (name) => params.get(name),
        // If no expression reads `activity.given`, the given parameters are those that some expression reads.
        given: () => lists.get('activity.given') ?? [...params.keys()],
        added: () => lists.get('activity.added') ?? [],
        removed: () => lists.get('activity.removed') ?? [],
      },
      namespaces: found,
      controls: {
        value: () => undefined,
        note: () => undefined,
        uncovered: (name, beside) => {
          const term = this.open.get(uncoveredKey(name, beside));
          return term !== undefined && isTrueIn(term, model) ? `\`controls.${name}\` does not count all that moves` : undefined;
        },
      },
      now: Number(now),
      rootQuorum,
      organizationUsers: new Map(users.map((each) => [each.id, each])),
      selfService: activity.selfService && people.approvers.length > 0,
      rootUserSuffices: activity.rootUserSuffices === true && people.approvers.some(({ id }) => userIds.includes(id)),
    };
  }

  /** The controls that do not exist in the request of a model. */
  absentControls(model: Model): readonly string[] {
    return [...this.entries.values()].flatMap(({ namespace, absent }) =>
      isTrueIn(absent, model) ? (controlOf(namespace.path) ?? []) : [],
    );
  }

  private enter(namespace: Namespace, { absent, lost }: { absent: Term; lost: Term }): Entry {
    const entry: Entry = { namespace, absent, lost, value: () => this.valueFor(namespace) };
    this.entries.set(namespace.path, entry);
    return entry;
  }

  private presence({ path, alwaysIn, uncertainIn, onlyIn, existsIf }: Namespace): { absent: Term; lost: Term } {
    const { kind } = this.world.activity;
    if (inEveryRequest.has(path)) return { absent: no, lost: no };
    if (alwaysIn !== undefined) {
      if (!alwaysIn.has(kind)) return { absent: yes, lost: no };
      // The value of another namespace tells whether there is one, and reading it is an error if not.
      if (existsIf !== undefined) return { absent: no, lost: no };
      // SECURITY: D420: a limit on transfers exists only in signing requests. If the host does not know, both are possible.
      return { absent: uncertainIn?.has(kind) === true ? this.symbols.bool() : no, lost: this.symbols.bool() };
    }
    return { absent: onlyIn?.has(kind) === false ? yes : this.symbols.bool(), lost: no };
  }

  /**
   * Asserts what the service guarantees: a transaction has exactly one chain, together with `tx` and `effects`. A message has `effects` if
   * it is typed.
   */
  private assertPresence(): void {
    const groups = new Map<string, Term[]>();
    for (const { namespace, absent } of this.entries.values())
      for (const group of namespace.groups ?? []) groups.set(group, [...(groups.get(group) ?? []), not(absent)]);
    for (const members of groups.values()) this.symbols.assert(fewerThan(2, members));
    const signed = or(...(groups.get('signed') ?? []));
    const absent = (path: string) => this.entries.get(path)?.absent ?? yes;
    this.symbols.assert(same(not(absent('effects')), signed));
    if (!transactionKinds.has(this.world.activity.kind)) return;
    this.symbols.assert(signed);
    this.symbols.assert(not(absent('tx')));
  }

  /** Asserts what the service guarantees of a payment: it is a transaction, understood, and does nothing but transfer and pay its fee. */
  private assertPayment(payment: Term): void {
    const isTransaction = transactionKinds.has(this.world.activity.kind);
    const [tx, effects] = [this.entries.get('tx'), this.entries.get('effects')].map(
      (entry) => entry && this.namespace(entry.namespace).value,
    );
    const holds: Term[] = [isTransaction ? yes : no];
    const understood = tx?.kind === 'record' ? tx.field('understood') : undefined;
    if (understood?.value.kind === 'bool') holds.push(and(understood.present, understood.value.term));
    for (const place of effects?.kind === 'list' ? effects.places : []) {
      const kind = place.value.kind === 'record' ? place.value.field('kind') : undefined;
      if (kind?.value.kind !== 'text') continue;
      const { term } = kind.value;
      const allowed = ['TRANSFER', 'FEE'].map((word) => same(term, this.symbols.atom(word)));
      holds.push(or(not(place.present), and(kind.present, or(...allowed))));
    }
    this.symbols.assert(or(not(payment), and(...holds)));
  }

  /**
   * Any requester, also a removed one, who has no fields.
   * SECURITY: D424: the tags are not modelled. A list of bounded length would need a bound that covers consensus expressions too.
   */
  private anyRequester(): Symbolic {
    const present = this.symbols.bool();
    const names = requester.type.kind === 'struct' ? Object.entries(requester.type.fields) : [];
    const fields = names.map(([name, { type }]) => {
      const value: Symbolic = type.kind === 'string' ? this.maker.make(type, false) : { kind: 'opaque' };
      return [name, { present, value }] as const;
    });
    return knownRecord(new Map(fields));
  }

  private valueFor(namespace: Namespace): Symbolic {
    const { activity } = this.world;
    const fixed = {
      [activityKind.path]: activity.kind,
      'activity.resource': activity.resource,
      'activity.action': activity.action,
    };
    const known = fixed[namespace.path];
    if (known !== undefined) return this.maker.concrete(known);
    if (namespace.path === 'activity.type') return { kind: 'text', term: this.type };
    if (namespace.path === 'contacts') return this.contacts.record;
    if (namespace === approvers) return this.people.approvers;
    if (namespace === credentials) return this.people.credentials;
    if (namespace === requester) return this.anyRequester();
    const value = this.maker.make(namespace.type, namespace.unsigned === true || namespace === timeNow);
    if (namespace === timeNow && value.kind === 'int') this.symbols.assert(`(<= ${value.term} ${LATEST})`);
    if (namespace === isPayment && value.kind === 'bool') this.assertPayment(value.term);
    const first = value.kind === 'list' ? value.places[0] : undefined;
    if (namespace.neverEmpty === true && first !== undefined) this.symbols.assert(first.present);
    return value;
  }
}

const uncoveredKey = (name: string, beside: readonly string[]) => [name, ...[...beside].sort()].join(' ');

function emptyValue({ type }: Namespace): PolicyValue | undefined {
  return type.kind === 'struct' ? {} : type.kind === 'list' ? [] : undefined;
}

function isAddressIn(normalizers: Normalizers): (text: string) => boolean {
  return (text) => addressKinds.some((chain) => normalizers[chain]?.(text) !== undefined);
}
