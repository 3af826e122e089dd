import type { Activities, ActivityInput } from '@countersign/contract';
import { type InheritedLimits, isSession } from '@countersign/judgement';
import type { z } from 'zod';
import type { LocalChange } from '../format/lines.ts';
import type { Bodies, Kind, State } from '../state/state.ts';
import { sameJson } from '../text.ts';

export type ActivityName = keyof Activities;

/** An executed activity, and the organization before it. */
export interface Done<Input = unknown, Result = unknown> {
  readonly state: State;
  /** The parameters in their current form. Secrets are empty where the body was withheld. */
  readonly params: Input;
  readonly result: Result;
  /** Who submitted it. Undefined where the parent judged it. */
  readonly submitterId: string | undefined;
  /** What allowed it. Undefined where the parent judged it. */
  readonly by: string | undefined;
  readonly atMs: number;
  /** All that it changed. */
  readonly changes: readonly LocalChange[];
  /** The limits of a new API key of a user. Undefined where the parent judged it. */
  readonly inheritedBy: ((userId: string) => InheritedLimits) | undefined;
}

/**
 * Whether an activity explains one of its changes.
 * SECURITY: what no rule explains is refused. So a rule says what a change may be, never what it may not be.
 */
export type Explains<Input = unknown, Result = unknown> = (change: Change, done: Done<Input, Result>) => boolean;

/** The rule of an activity by its name. */
export type RuleOf<N extends ActivityName> = Explains<ActivityInput<N>, z.output<Activities[N]['result']>>;

export type Rules<N extends ActivityName> = { readonly [Name in N]: RuleOf<Name> };

/** A change with what it replaces. */
export type Change = { [K in Kind]: ChangeOf<K> }[Kind];

export type ChangeOf<K extends Kind> = {
  readonly kind: K;
  readonly id: string;
  /** What was there before. Undefined for something new. */
  readonly before: Bodies[K] | undefined;
  /** What is there now. Undefined for something that ended. */
  readonly after: Bodies[K] | undefined;
};

/** For activities that change no audited record. */
export const nothing: Explains = () => false;

/** Whether something of this kind is new. */
export function isNew<K extends Kind>(change: Change, kind: K): change is Extract<Change, { kind: K }> & { after: Bodies[K] } {
  return change.kind === kind && change.before === undefined && change.after !== undefined;
}

/** Whether something of this kind ended. */
export function hasEnded<K extends Kind>(
  change: Change,
  kind: K,
): change is Extract<Change, { kind: K }> & { before: Bodies[K] } {
  return change.kind === kind && change.after === undefined && change.before !== undefined;
}

/** Whether something of this kind that was there changed in these members alone, and in when it changed. */
export function hasChangedOnly<K extends Kind>(
  change: Change,
  kind: K,
  members: readonly (keyof Bodies[K] & string)[],
): change is Extract<Change, { kind: K }> & { before: Bodies[K]; after: Bodies[K] } {
  if (change.kind !== kind || change.before === undefined || change.after === undefined) return false;
  const without = (body: object) =>
    Object.fromEntries(
      Object.entries(body).filter(([name]) => name !== 'updatedAtMs' && !(members as readonly string[]).includes(name)),
    );
  return sameJson(without(change.before), without(change.after));
}

/** Whether the members of a body are these. Undefined stands for absent. */
export function has<T extends object>(body: T, members: { readonly [M in keyof T]?: unknown }): boolean {
  return Object.entries(members).every(([name, value]) => sameJson((body as Record<string, unknown>)[name], value));
}

/** Whether a session ended that rests on a credential which the same activity ends. */
export function isSessionOfEnded(change: Change, { changes }: Done): boolean {
  if (!hasEnded(change, 'apiKey') || !isSession(change.before)) return false;
  const openedBy = change.before.origin?.openedBy ?? [];
  return changes.some((other) => 'drop' in other && openedBy.includes(other.id));
}

/** The members that one list has and the other has not. */
export function difference(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...a.filter((item) => !b.includes(item)), ...b.filter((item) => !a.includes(item))];
}
