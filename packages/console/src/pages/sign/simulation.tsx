import { messageOf } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { Badge, Fold, Notice } from '../../ui/page.tsx';
import { RawText } from '../../ui/value.tsx';
import { words } from '../../words/index.ts';

const texts = words.sign;
const tones = { ALLOW: 'good', DENY: 'bad', NEEDS_CONSENSUS: 'wait' } as const;

/** What a request of this person would lead to. */
export type Outcome = keyof typeof tones;

/**
 * Expected decision for a request of this person.
 * SECURITY: D1132: the decision for earlier parameters is never shown for the present ones.
 */
export function Simulation({ type, parameters }: { type: string; parameters: Readonly<Record<string, unknown>> }) {
  const { data, error } = useServiceQuery('simulateActivity', { type, parameters: { ...parameters }, explain: true });
  if (error !== null)
    return (
      <Notice tone="wait" role="alert" title={texts.simulateFailed}>
        {messageOf(error)}
      </Notice>
    );
  return (
    <Fold
      title={
        <span className="flex flex-wrap items-center gap-2">
          {texts.simulate}
          {data === undefined ? <Badge>{texts.simulating}</Badge> : <OutcomeBadge outcome={data.decision.outcome} />}
          <span className="text-sm font-normal text-quiet">{texts.simulateHint}</span>
        </span>
      }
    >
      {data === undefined ? texts.simulating : <RawText text={data.decision.text} />}
    </Fold>
  );
}

export function OutcomeBadge({ outcome }: { outcome: Outcome }) {
  return <Badge tone={tones[outcome]}>{words.activities.outcomes[outcome]}</Badge>;
}
