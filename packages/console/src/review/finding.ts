import type { LookAlike } from './look-alike.ts';

/** How much attention a request needs. */
export const risks = ['low', 'medium', 'high'] as const;
export type Risk = (typeof risks)[number];

/** Something about a request that an approver should see before deciding. */
export interface Finding {
  readonly text: string;
  readonly risk: 'medium' | 'high';
  /** An approval needs a second, deliberate step. */
  readonly isDeliberate?: boolean;
  /** The activity that shows it. */
  readonly activityId?: string;
  readonly lookAlike?: LookAlike;
}

/** A finding that needs a second step. */
export const grave = (text: string, more: Pick<Finding, 'activityId' | 'lookAlike'> = {}): Finding => ({
  ...{ text, risk: 'high', isDeliberate: true },
  ...more,
});

export const notable = (text: string, more: Pick<Finding, 'activityId' | 'isDeliberate'> = {}): Finding => ({
  ...{ text, risk: 'medium' },
  ...more,
});

/** The greatest risk of some findings. */
export function riskOf(findings: readonly Finding[]): Risk {
  if (findings.some(({ risk }) => risk === 'high')) return 'high';
  return findings.length > 0 ? 'medium' : 'low';
}
