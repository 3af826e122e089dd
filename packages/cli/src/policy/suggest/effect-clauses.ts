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
  return [
    { text: `effects.all(e, ${all})`, why: `effects: ${tally(kinds)}` },
    ...['TRANSFER', 'ALLOWANCE'].flatMap((kind) => moving(kind, requests)),
    ...(kinds.includes('CALL') ? [receivers('CALL', requests)] : []),
    ...(kinds.includes('UNKNOWN')
      ? [{ gap: 'some effects were not understood, so the policy also allows effects that are not understood' }]
      : []),
  ];
}

const ofKind = (kind: string, requests: readonly PastRequest[]) =>
  requests.flatMap(effectsOf).filter((effect) => effect.kind === kind);

function receivers(kind: string, requests: readonly PastRequest[]): Clause | Gap | undefined {
  const to = allOf(ofKind(kind, requests).map((effect) => textOf(effect, 'to')));
  if (to === undefined) return { gap: `the recipients of ${kind} effects are not limited: some are unknown` };
  const filtered = `effects.filter(e, e.kind == '${kind}')`;
  if (distinctOf(to).length <= MAX_LISTED)
    return { text: `${filtered}.all(e, ${oneOf('e.to', to)})`, why: `recipients of ${kind} effects: ${tally(to)}` };
  const tag = commonTag(to, requests);
  if (tag === undefined)
    return {
      gap: `the recipients of ${kind} effects are not limited: there were ${distinctOf(to).length}, and no contact tag covers them`,
    };
  return {
    text: `${filtered}.all(e, e.to in contacts.tagged(${quoted(tag)}))`,
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
  const filtered = `effects.filter(e, e.kind == '${kind}')`;
  const assets = allOf(effects.map((effect) => textOf(effect, 'asset')));
  if (assets === undefined)
    return [receivers(kind, requests), { gap: `the assets of ${kind} effects are not limited: some are unknown` }];
  const clause = listed('e.asset', assets, `assets of ${kind} effects`);
  if (clause === undefined || 'gap' in clause) return [receivers(kind, requests), clause];
  return [
    receivers(kind, requests),
    { ...clause, text: `${filtered}.all(e, ${clause.text})` },
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
  const filter = `effects.filter(e, e.kind == '${kind}' && e.asset == ${quoted(asset)})`;
  return {
    text: `${filter}.sum(e, e.amount) <= ${most.sum}`,
    why: `maximum of ${asset} in one request: ${most.sum}, by activity ${most.request.activityId}`,
  };
}
