import { useServiceQuery } from '../../data/service-query.ts';
import { Badge, Fold } from '../../ui/page.tsx';
import { RawText } from '../../ui/value.tsx';
import { words } from '../../words/index.ts';

const tones = { ALLOW: 'good', DENY: 'bad', NEEDS_CONSENSUS: 'wait' } as const;

/** Expected decision for a request of this person. */
export function Simulation({ type, parameters }: { type: string; parameters: Readonly<Record<string, unknown>> }) {
  const { data } = useServiceQuery('simulateActivity', { type, parameters: { ...parameters }, explain: true }, { keep: true });
  if (data === undefined) return null;
  const { outcome, text } = data.decision;
  return (
    <Fold
      title={
        <span className="flex flex-wrap items-center gap-2">
          {words.sign.simulate}
          <Badge tone={tones[outcome]}>{words.activities.outcomes[outcome]}</Badge>
          <span className="text-sm font-normal text-quiet">{words.sign.simulateHint}</span>
        </span>
      }
    >
      <RawText text={text} />
    </Fold>
  );
}
