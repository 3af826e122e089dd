import { assetInfo, defaultTokens } from '@countersign/chains';
import type { Judgement } from '../judgement.ts';
import { countsKind, movesOfRequest } from './amounts.ts';
import { controlByIdentifier } from './control-identifiers.ts';
import { entriesFor } from './counted-assets.ts';
import { type ControlModel, modelOf } from './model.ts';

/**
 * Why a limit has no value together with these limits, as a sentence. Undefined if it has one.
 * INVARIANT: D480: an ALLOW that rests on a limit which denies other assets allows a request only if every asset that leaves the signer's
 * accounts, or that others may take from them, is counted by that limit or by one that must be kept together with it. Fees are excepted.
 */
export function uncoveredBy(judgement: Judgement, name: string, beside: readonly string[]): string | undefined {
  const controls = judgement.organization.records.velocityControl;
  const control = controls.get(controlByIdentifier(controls, name) ?? '');
  if (control === undefined || !modelOf(control).deniesOthers) return undefined;
  const { moves } = movesOfRequest(judgement);
  if (moves.length === 0) return undefined;
  const models = beside
    .map((each) => controls.get(controlByIdentifier(controls, each) ?? ''))
    .flatMap((each) => (each === undefined ? [] : [modelOf(each)]))
    .filter((model) => countsKind(judgement, model));
  const open = moves.find(({ asset }) => !models.some((model) => counts(model, asset)));
  if (open === undefined) return undefined;
  return `the limit "${control.name}" cannot be judged: it denies other assets, and this request moves ${shown(open.asset)}, or lets others move it, which no limit beside it counts`;
}

function counts(model: ControlModel, asset: string): boolean {
  const entries = entriesFor(model, asset);
  return entries !== 'UNTOLD' && entries.length > 0;
}

function shown(asset: string): string {
  const symbol = assetInfo(asset, defaultTokens)?.symbol;
  return symbol === undefined ? asset : `${symbol} (${asset})`;
}
