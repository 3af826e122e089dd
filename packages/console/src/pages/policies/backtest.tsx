import type { NamedTag } from '@countersign/policy';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { typeLabel } from '../../review/type-label.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Badge, Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import type { Draft } from './draft.ts';
import { withTagIds } from './tag-ids.ts';

const texts = words.policies.backtest;
const outcomes = words.activities.outcomes;
const tones = { ALLOW: 'good', DENY: 'bad', NEEDS_CONSENSUS: 'wait' } as const;

/** Replays past activities against the draft. Stores nothing. */
export function Backtest({
  draft,
  tags,
  policyId,
  disabled,
}: {
  draft: Draft;
  tags: readonly NamedTag[] | undefined;
  policyId: string | undefined;
  disabled: boolean;
}) {
  const { reader } = useSession();
  const run = useMutation({
    mutationFn: async () => {
      const { policyName, effect, condition, consensus, notes } = await withTagIds(draft, tags);
      const policies =
        policyId === undefined
          ? {
              add: [
                { policyName, effect, notes, ...(condition !== '' && { condition }), ...(consensus !== '' && { consensus }) },
              ],
            }
          : {
              update: [
                { policyId, policyEffect: effect, policyCondition: condition || 'true', policyConsensus: consensus || 'true' },
              ],
            };
      return reader.backtestPolicies({ policies, range: { last: 1000 } });
    },
  });
  return (
    <div className="grid gap-3">
      <div>
        <Button icon="clock" busy={run.isPending} disabled={disabled} onClick={() => run.mutate()}>
          {texts.run}
        </Button>
      </div>
      {run.error && <ErrorMessage error={run.error} />}
      {run.data && run.data.flips.length === 0 && (
        <Notice tone="good" title={texts.none}>
          {run.data.summary}
        </Notice>
      )}
      {run.data && run.data.flips.length > 0 && (
        <>
          <p className="font-medium">{texts.changes(run.data.flips.length)}</p>
          <ul className="card divide-y divide-line">
            {run.data.flips.slice(0, 20).map(({ activityId, type, createdAt, before, after, reason }) => (
              <li key={activityId} className="grid gap-1 px-3 py-2 text-sm">
                <Link
                  to="/activities/$activityId"
                  params={{ activityId }}
                  className="font-medium text-accent underline underline-offset-2 first-letter:uppercase"
                >
                  {typeLabel(type)}
                </Link>
                <span className="flex flex-wrap items-center gap-1.5">
                  <Badge tone={tones[before]}>{outcomes[before]}</Badge>→<Badge tone={tones[after]}>{outcomes[after]}</Badge>
                  <span className="text-quiet">
                    <When at={createdAt} />
                  </span>
                </span>
                <span className="text-quiet">{escapeInvisible(reason)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
