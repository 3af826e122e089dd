import type { PastRequest } from '../past-requests.ts';
import { type Clause, distinctOf, type Gap, listed, MAX_LISTED, oneOf, quoted, tally } from './clause.ts';
import { allOf, type Effect, effectsOf, toInteger } from './evidence.ts';

const textOf = (effect: Effect, member: string): string | undefined => {
  const value = effect[member];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Limits from past effects: kinds, recipients, assets, and maximum amounts. */
export function effectClauses(requests: readonly PastRequest[]): (Clause | Gap | undefined)[] {
  const effects = requests.flatMap(effectsOf);
  if (effects.length === 0) return [];
  const kinds = effects.map(({ kind }) => String(kind));
  const all = oneOf('e.kind', kinds);
  if (arePayments(requests))
    return [{ text: 'tx.is_payment', why: `all are payments: ${tally(kinds)}` }, ...moving('TRANSFER', requests)];
  return [
    { text: `effects.all(e, ${all})`, why: `effects: ${tally(kinds)}` },
    ...['TRANSFER', 'ALLOWANCE'].flatMap((kind) => moving(kind, requests)),
    ...(kinds.includes('CALL') ? [receivers('CALL', requests)] : []),
    ...(kinds.includes('UNKNOWN')
      ? [{ gap: 'some effects were not understood, so the policy also allows effects that are not understood' }]
      : []),
  ];
}

/** Whether all requests are payments. Then the transfers among their effects are `tx.payments`. */
const arePayments = (requests: readonly PastRequest[]) =>
  requests.every(({ namespaces }) => namespaces['tx.is_payment'] === true);

/** The effects of a kind as a condition reads them, and the variable of one. */
function listOf(kind: string, requests: readonly PastRequest[]): { readonly list: string; readonly each: string } {
  return arePayments(requests)
    ? { list: 'tx.payments', each: 'p' }
    : { list: `effects.filter(e, e.kind == '${kind}')`, each: 'e' };
}

const ofKind = (kind: string, requests: readonly PastRequest[]) =>
  requests.flatMap(effectsOf).filter((effect) => effect.kind === kind);

function receivers(kind: string, requests: readonly PastRequest[]): Clause | Gap | undefined {
  const to = allOf(ofKind(kind, requests).map((effect) => textOf(effect, 'to')));
  if (to === undefined) return { gap: `the recipients of ${kind} effects are not limited: some are unknown` };
  const { list, each } = listOf(kind, requests);
  if (distinctOf(to).length <= MAX_LISTED)
    return { text: `${list}.all(${each}, ${oneOf(`${each}.to`, to)})`, why: `recipients of ${kind} effects: ${tally(to)}` };
  const tag = commonTag(to, requests);
  if (tag === undefined)
    return {
      gap: `the recipients of ${kind} effects are not limited: there were ${distinctOf(to).length}, and no contact tag covers them`,
    };
  return {
    text: `${list}.all(${each}, ${each}.to in contacts.tagged(${quoted(tag)}))`,
    why: `all recipients have the contact tag ${tag}`,
  };
}

/** The smallest contact tag that covers all addresses in the newest state. */
function commonTag(addresses: readonly string[], requests: readonly PastRequest[]): string | undefined {
  const newest = requests.reduce((a, b) => (Number(a.decidedAtMs) < Number(b.decidedAtMs) ? b : a));
  return Object.entries(newest.state.contacts.tagged)
    .filter(([, tagged]) => addresses.every((address) => tagged.includes(address)))
    .sort(([a, x], [b, y]) => x.length - y.length || (a < b ? -1 : 1))[0]?.[0];
}

/** Recipients, assets, and the maximum of each asset in one request. */
function moving(kind: string, requests: readonly PastRequest[]): (Clause | Gap | undefined)[] {
  const effects = ofKind(kind, requests);
  if (effects.length === 0) return [];
  const { list, each } = listOf(kind, requests);
  const assets = allOf(effects.map((effect) => textOf(effect, 'asset')));
  if (assets === undefined)
    return [receivers(kind, requests), { gap: `the assets of ${kind} effects are not limited: some are unknown` }];
  const clause = listed(`${each}.asset`, assets, `assets of ${kind} effects`);
  if (clause === undefined || 'gap' in clause) return [receivers(kind, requests), clause];
  return [
    receivers(kind, requests),
    { ...clause, text: `${list}.all(${each}, ${clause.text})` },
    ...distinctOf(assets).map((asset) => mostOf(kind, asset, requests)),
  ];
}

function mostOf(kind: string, asset: string, requests: readonly PastRequest[]): Clause | Gap {
  const sums = requests.map((request) => {
    const amounts = allOf(
      effectsOf(request)
        .filter((effect) => effect.kind === kind && effect.asset === asset)
        .map((effect) => toInteger(effect.amount)),
    );
    return { request, sum: amounts?.reduce((a, b) => a + b, 0n) };
  });
  const known = allOf(sums.map(({ sum }) => sum));
  if (known === undefined) return { gap: `amounts of ${asset} are not limited: some are unknown` };
  const most = sums.reduce((a, b) => ((b.sum ?? 0n) > (a.sum ?? 0n) ? b : a));
  const sum = arePayments(requests)
    ? `tx.payments.total(${quoted(asset)})`
    : `effects.filter(e, e.kind == '${kind}' && e.asset == ${quoted(asset)}).sum(e, e.amount)`;
  return {
    text: `${sum} <= ${most.sum}`,
    why: `maximum of ${asset} in one request: ${most.sum}, by activity ${most.request.activityId}`,
  };
}
