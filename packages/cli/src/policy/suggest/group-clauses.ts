import { activityByType, policyFields } from '@countersign/contract';
import { type Clause, distinctOf, type Gap, listed, MAX_LISTED, oneOf, tally } from './clause.ts';
import { effectClauses } from './effect-clauses.ts';
import { allOf, type Group, type Shown, toInteger, valueAt } from './evidence.ts';

type Part = Clause | Gap | undefined;

/** Clauses for all that the requests of a group have in common. */
export function groupClauses(group: Group): readonly (Clause | Gap)[] {
  const { requests, signed } = group;
  const types = requests.map(({ type }) => type);
  const parts: Part[] = [
    { text: oneOf('activity.type', types), why: `types: ${tally(types)}` },
    texts(group, 'wallet', 'id', 'wallets'),
    texts(group, 'private_key', 'id', 'private keys'),
    texts(group, 'wallet_account', 'address', 'accounts'),
    ...(signed === 'eth.tx' ? ethereumClauses(group) : []),
    ...(signed === 'eth.eip_712' ? typedDataClauses(group) : []),
    ...(signed?.endsWith('.tx') ? transactionClauses(group) : []),
    ...effectClauses(requests),
    ...(signed === undefined ? parameterClauses(group) : []),
  ];
  return parts.filter((part) => part !== undefined);
}

function texts({ requests }: Group, namespace: string, member: string, what: string): Part {
  const values = requests.map((request) => valueAt(request, namespace, member));
  const all = allOf(values.map((value) => (typeof value === 'string' ? value : undefined)));
  return listed(`${namespace}.${member}`, all, what);
}

function integers({ requests }: Group, namespace: string, member: string): readonly bigint[] | undefined {
  return allOf(requests.map((request) => toInteger(valueAt(request, namespace, member))));
}

function chains(group: Group, namespace: string, path: string): Part {
  const values = integers(group, namespace, 'chain_id')?.map(String);
  if (values === undefined) return { gap: 'the chain is not limited: some requests have none' };
  if (distinctOf(values).length > MAX_LISTED) return { gap: 'the chain is not limited: there were too many' };
  return { text: oneOf(path, values, (value) => value), why: `chains: ${tally(values)}` };
}

function ethereumClauses(group: Group): Part[] {
  const to = allOf(group.requests.map((request) => stringOf(valueAt(request, 'eth.tx', 'to'))));
  const isCall = to?.every((address) => address !== '') === true;
  return [
    chains(group, 'eth.tx', 'eth.tx.chain_id'),
    isCall ? listed('eth.tx.to', to, 'addresses that were called') : { gap: 'some requests create contracts' },
    selectors(group),
  ];
}

const stringOf = (value: Shown | undefined) => (typeof value === 'string' ? value : undefined);
const SELECTOR = 10;

/** The first four bytes of the call data are the function selector. */
function selectors({ requests }: Group): Part {
  const data = allOf(requests.map((request) => stringOf(valueAt(request, 'eth.tx', 'data'))));
  if (data === undefined) return undefined;
  if (data.every((hex) => hex === '0x')) return { text: "eth.tx.data == '0x'", why: 'no request had call data' };
  const called = data.filter((hex) => hex !== '0x');
  if (called.some((hex) => hex.length < SELECTOR)) return { gap: 'functions are not limited: some call data has no selector' };
  const found = listed(
    `eth.tx.data[0..${SELECTOR}]`,
    called.map((hex) => hex.slice(0, SELECTOR)),
    'functions that were called',
  );
  if (found === undefined || 'gap' in found || called.length === data.length) return found;
  return { ...found, text: `(eth.tx.data == '0x' || ${found.text})`, why: `${found.why}, and plain transfers` };
}

function typedDataClauses({ requests }: Group): Part[] {
  const domains = requests.map((request) => valueAt(request, 'eth.eip_712', 'domain') as Record<string, Shown> | undefined);
  const contracts = allOf(domains.map((domain) => stringOf(domain?.verifying_contract)));
  const ids = allOf(domains.map((domain) => toInteger(domain?.chain_id)))?.map(String);
  const types = allOf(requests.map((request) => stringOf(valueAt(request, 'eth.eip_712', 'primary_type'))));
  return [
    listed('eth.eip_712.primary_type', types, 'types of messages'),
    listed('eth.eip_712.domain.verifying_contract', contracts, 'verifying contracts'),
    ids && { text: oneOf('eth.eip_712.domain.chain_id', ids, (value) => value), why: `chains: ${tally(ids)}` },
    { gap: 'the members of messages are not limited beyond their effects' },
  ];
}

function transactionClauses(group: Group): Part[] {
  const understood = group.requests.every((request) => valueAt(request, 'tx', 'understood') === true);
  const fees = integers(group, 'tx', 'max_fee');
  const [most] = fees?.toSorted((a, b) => (a < b ? 1 : -1)) ?? [];
  return [
    understood
      ? { text: 'tx.understood', why: 'every transaction was understood' }
      : { gap: 'some transactions were not fully understood' },
    most === undefined
      ? { gap: 'fees are not limited: some are unknown' }
      : { text: `tx.max_fee <= ${most}`, why: `the highest fee that a request allowed: ${most}` },
  ];
}

/** Text and boolean parameters that policies see. Payloads differ each time and are not limited. */
function parameterClauses({ requests }: Group): Part[] {
  const fields = requests.map(({ type }) => policyFields(activityByType.get(type)?.definition as never));
  const [first] = fields;
  if (first === undefined || requests.some(({ namespaces }) => namespaces.private_key ?? namespaces.wallet_account))
    return rawClauses(requests.map(({ parameters }) => parameters));
  return [...first].flatMap(([name, { wire }]): Part[] => {
    if (!fields.every((each) => each.has(name))) return [];
    const values = allOf(requests.map(({ parameters }) => stringOf(parameters[wire] as Shown)));
    return [listed(`activity.params.${name}`, values, `the parameter ${wire}`)];
  });
}

function rawClauses(parameters: readonly Readonly<Record<string, unknown>>[]): Part[] {
  const values = (wire: string) => allOf(parameters.map((each) => stringOf(each[wire] as Shown)));
  return [
    listed('activity.params.hash_function', values('hashFunction'), 'hash functions'),
    listed('activity.params.encoding', values('encoding'), 'encodings'),
    { gap: 'the payload is not limited: the service cannot interpret it' },
  ];
}
