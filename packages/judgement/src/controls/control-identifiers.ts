import { memoizeByRef } from '@countersign/collections';
import { activityKind } from '@countersign/contract';
import { CONTROLS, type ControlName, type PolicySet } from '@countersign/policy';
import { askableKinds, modelOf } from './model.ts';
import type { VelocityControlRecord } from './record.ts';

type Controls = ReadonlyMap<string, VelocityControlRecord>;

/** The controls of an organization in the form of the policy language. The same list until one of them changes. */
export const controlNames = memoizeByRef((controls: Controls): readonly ControlName[] =>
  [...controls.values()].map((control) => ({
    name: control.identifier,
    doc: control.name,
    kinds: [...askableKinds(control)],
    otherAssets: otherAssetsOf(control),
  })),
);

function otherAssetsOf(control: VelocityControlRecord): ControlName['otherAssets'] {
  const { assets, deniesOthers } = modelOf(control);
  if (assets === undefined) return undefined;
  return deniesOthers ? 'DENIED' : 'FREE';
}

const idsByIdentifier = memoizeByRef(
  (controls: Controls) => new Map([...controls].map(([id, { identifier }]) => [identifier, id])),
);

/** The id of the control with an identifier. */
export function controlByIdentifier(controls: Controls, identifier: string): string | undefined {
  return idsByIdentifier(controls).get(identifier);
}

/** Whether policies can read a control in an activity of this type. */
export function isAskable(control: VelocityControlRecord, type: string): boolean {
  return askableKinds(control).has(activityKind(type));
}

/** The ids of the controls that a compiled policy names. */
export function namedIn({ condition }: PolicySet['policies'][number], controls: Controls): readonly string[] {
  if (controls.size === 0) return [];
  return (condition?.uses ?? []).flatMap(({ namespace: { path } }) =>
    path.startsWith(CONTROLS) ? (controlByIdentifier(controls, path.slice(CONTROLS.length)) ?? []) : [],
  );
}
