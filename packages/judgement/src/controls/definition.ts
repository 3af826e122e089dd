import { assetInfo, assetNames, canonicalAsset, type TokenList } from '@countersign/chains';
import { activityKind, notOfferedTypes } from '@countersign/contract';
import { CONTROLS, checkPolicy, findZone } from '@countersign/policy';
import { policyOptions } from '../policy-options.ts';
import { kindsOfSigning, OTHERS_DENIED } from './model.ts';
import type { VelocityControlRecord } from './record.ts';

export type ControlDefinition = Pick<VelocityControlRecord, 'dataSource' | 'aggregation'>;

/** The definition of a new limit, by the current rules. */
export type NewDefinition = ControlDefinition & Required<Pick<VelocityControlRecord, 'rules'>>;

type Aggregation = ControlDefinition['aggregation'];
type Transfers = NonNullable<ControlDefinition['dataSource']['chainAssetTransfer']>;
type Filter = NonNullable<Transfers['filter']>;

/** A problem in a definition. `field` is the path of the parameter. */
export class ControlProblem extends Error {
  override readonly name = 'ControlProblem';
  readonly field: string;
  readonly description: string;

  constructor(field: string, description: string) {
    super(`${field} ${description}`);
    this.field = field;
    this.description = description;
  }
}

/**
 * Checks the definition of a new limit and returns it with assets in canonical form and the current rules. Throws ControlProblem.
 * `tokens` is the token list of the organization: decimals must match it.
 */
export function readDefinition(definition: ControlDefinition, tokens: TokenList): NewDefinition {
  const { dataSource, aggregation } = definition;
  requireOne(dataSource, 'dataSource');
  const { chainAssetTransfer: transfers, activityExecution: executions } = dataSource;
  if (transfers !== undefined) checkTransfers(transfers, tokens);
  checkFilter(executions?.filter, 'dataSource.activityExecution.filter.activity');
  checkAggregation(aggregation, transfers !== undefined);
  return byCurrentRules(spellDefinition(definition));
}

/** A definition by the current rules: all other assets are denied unless it says that they are free. */
export function byCurrentRules({ dataSource, aggregation }: ControlDefinition): NewDefinition {
  const { chainAssetTransfer: transfers } = dataSource;
  if (transfers === undefined) return { dataSource, aggregation, rules: 2 };
  const { otherAssets = OTHERS_DENIED } = transfers;
  return { dataSource: { ...dataSource, chainAssetTransfer: { ...transfers, otherAssets } }, aggregation, rules: 2 };
}

/** A definition with assets in canonical form and without empty filters. */
export function spellDefinition({ dataSource, aggregation }: ControlDefinition): ControlDefinition {
  const { chainAssetTransfer: transfers, activityExecution: executions } = dataSource;
  const definition = transfers?.definition.map((each) => ({ ...each, caip19: canonicalAsset(each.caip19) ?? each.caip19 }));
  return {
    dataSource: {
      ...(transfers && {
        chainAssetTransfer: {
          definition: definition ?? [],
          ...(transfers.otherAssets && { otherAssets: transfers.otherAssets }),
          ...spellFilter(transfers.filter),
          ...(transfers.phase?.signature && { phase: { signature: {} } }),
        },
      }),
      ...(executions && { activityExecution: spellFilter(executions.filter) }),
    },
    aggregation,
  };
}

function spellFilter(filter: Filter | undefined): { filter?: Filter } {
  return (filter?.activity ?? []).length === 0 ? {} : { filter: { ...filter } };
}

/** Requires exactly one member of an object that represents a choice. */
function requireOne(choices: object, field: string): void {
  const given = Object.values(choices).filter((value) => value !== undefined);
  if (given.length !== 1) throw new ControlProblem(field, 'must have exactly one of its members');
}

function checkTransfers({ definition, filter, phase }: Transfers, tokens: TokenList): void {
  const path = 'dataSource.chainAssetTransfer';
  if (phase?.submission !== undefined)
    throw new ControlProblem(`${path}.phase.submission`, 'is not offered: the service does not see the chain. Leave it out');
  const seen = new Set<string>();
  for (const [index, { caip19, decimals }] of definition.entries()) {
    const field = `${path}.definition.${index}`;
    const asset = canonicalAsset(caip19);
    if (asset === undefined)
      throw new ControlProblem(`${field}.caip19`, `must be the CAIP-19 name of an asset that the service reads: ${assetNames}`);
    if (seen.has(asset)) throw new ControlProblem(`${field}.caip19`, 'repeats an asset of this list');
    seen.add(asset);
    // SECURITY: with wrong decimals, a limit of 100 could become a limit of 100 million.
    const known = assetInfo(asset, tokens)?.decimals;
    if (known !== undefined && known !== Number(decimals))
      throw new ControlProblem(`${field}.decimals`, `must be ${known}: this asset has ${known} decimals`);
  }
  checkFilter(filter, `${path}.filter.activity`);
  const kinds = (filter?.activity ?? []).map(({ activityType }) => activityKind(activityType));
  if (kinds.length > 0 && !kinds.some((kind) => kindsOfSigning.has(kind)))
    throw new ControlProblem(`${path}.filter.activity`, 'names no activity that signs, so nothing would ever count');
}

function checkFilter(filter: Filter | undefined, field: string): void {
  const types = (filter?.activity ?? []).map(({ activityType }) => activityType);
  const known = policyOptions.vocabularies?.['activity.type'] ?? [];
  for (const [index, type] of types.entries()) {
    if (!known.includes(type)) throw new ControlProblem(`${field}.${index}.activityType`, 'is not an activity type');
  }
  if (types.length > 0 && types.every((type) => notOfferedTypes.includes(type)))
    throw new ControlProblem(field, 'names no activity that this service offers, so nothing would ever count');
}

function checkAggregation(aggregation: Aggregation, ofTransfers: boolean): void {
  const { method, groupBy, window } = aggregation;
  const compares = !method.endsWith('_FIRST');
  for (const name of ['operator', 'threshold'] as const) {
    if ((aggregation[name] !== undefined) === compares) continue;
    throw new ControlProblem(`aggregation.${name}`, compares ? 'must be given' : 'must be left out with FIRST');
  }
  if (method.endsWith('_SUM') && !ofTransfers)
    throw new ControlProblem('aggregation.method', 'must be COUNT or FIRST: activities have no amounts to add up');
  requireWhole(method, aggregation.threshold, 'aggregation.threshold');
  requireWindow(window, 'aggregation.window');
  requireOne(groupBy, 'aggregation.groupBy');
  if (!ofTransfers && (groupBy.destination !== undefined || groupBy.contactTag !== undefined))
    throw new ControlProblem('aggregation.groupBy', 'must be organization, user or wallet: activities have no receiver');
}

/** Rejects a fractional threshold for a count. */
export function requireWhole(method: Aggregation['method'], threshold: string | undefined, field: string): void {
  if (method.endsWith('_COUNT') && threshold !== undefined && /\.0*[1-9]/.test(threshold))
    throw new ControlProblem(field, 'must be a whole number: COUNT counts');
}

/** Requires exactly one window, and a time zone that exists. Throws ControlProblem. */
export function requireWindow(window: Aggregation['window'], field: string): void {
  requireOne(window, field);
  if (window.calendar !== undefined && findZone(window.calendar.timeZone) === undefined)
    throw new ControlProblem(`${field}.calendar.timeZone`, 'must be the IANA name of a time zone, for example Europe/Zurich');
}

/** Whether policies can refer to an identifier as `controls.<identifier>`. Keywords of the language are not identifiers. */
export function isControlIdentifier(identifier: string): boolean {
  return checkPolicy({ condition: CONTROLS + identifier }, { controls: [{ name: identifier, doc: '', kinds: [] }] }).length === 0;
}
