import type { ListedActivity } from '@countersign/client';
import type { Explanation as Explained, ExplainedPart } from '@countersign/policy';
import { useServiceQuery } from '../../data/service-query.ts';
import { allPolicies, useWholeList } from '../../data/whole-list.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { Icon } from '../../ui/icon.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Fold, type Tone } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { RawText } from '../../ui/value.tsx';
import { words } from '../../words/index.ts';

const texts = words.activities;
const tones: Readonly<Record<string, Tone>> = {
  ALLOW: 'good',
  DENY: 'bad',
  NEEDS_CONSENSUS: 'wait',
  OUTCOME_ALLOW: 'good',
  OUTCOME_DENY_EXPLICIT: 'bad',
  OUTCOME_ERROR: 'bad',
  OUTCOME_REQUIRES_CONSENSUS: 'wait',
};

/** Decisions of an activity: one section per vote, with an expression tree per policy. */
export function Explanation({ activity }: { activity: ListedActivity }) {
  const query = useServiceQuery('explainActivity', { activityId: activity.id });
  const policies = useWholeList(allPolicies).data ?? [];
  const nameOf = (id: string) => policies.find(({ policyId }) => policyId === id)?.policyName ?? id;
  return (
    <QueryView query={query}>
      {({ decisions }) =>
        decisions.length === 0 ? (
          <p className="card px-4 py-3 text-quiet">{texts.noExplanation}</p>
        ) : (
          <div className="grid gap-2">
            {decisions.map(({ voteId, outcome, by, explanation, text }, index) => (
              <Fold
                key={voteId}
                open={index === decisions.length - 1}
                title={
                  <span className="flex flex-1 flex-wrap items-center gap-2">
                    <Name text={texts.vote(index + 1, activity.votes[index]?.user.userName ?? '')} />
                    <Badge tone={tones[outcome] ?? 'calm'}>{texts.outcomes[outcome] ?? outcome}</Badge>
                    <span className="text-sm font-normal text-quiet">{by === undefined ? '' : (texts.byWhat[by] ?? '')}</span>
                  </span>
                }
              >
                {explanation === undefined ? (
                  <RawText text={text} />
                ) : (
                  <Decision explained={explanation as unknown as Explained} nameOf={nameOf} />
                )}
              </Fold>
            ))}
          </div>
        )
      }
    </QueryView>
  );
}

function Decision({ explained, nameOf }: { explained: Explained; nameOf(policyId: string): string }) {
  const { rootQuorum, policies, changes, shortened } = explained;
  return (
    <div className="grid gap-3">
      <p className="text-sm text-quiet">{texts.rootQuorum(rootQuorum.approved, rootQuorum.threshold)}</p>
      {policies.map(({ policyId, outcome, expressions, reasons }) => (
        <details key={policyId} className="group rounded-lg border border-line">
          <summary className="flex list-none items-center gap-2 px-3 py-2">
            <Icon name="chevron" size={14} className="text-quiet transition-transform group-open:rotate-90" />
            <span className="min-w-0 flex-1 truncate">
              <Name text={nameOf(policyId)} />
            </span>
            <Badge tone={tones[outcome] ?? 'calm'}>{texts.policyOutcomes[outcome] ?? outcome}</Badge>
          </summary>
          <div className="grid gap-2 border-t border-line px-3 py-2">
            {reasons.map((reason) => (
              <p key={reason} className="text-sm">
                <Name text={reason} />
              </p>
            ))}
            {Object.entries(expressions).map(([field, part]) => (
              <div key={field}>
                <p className="text-sm text-quiet">{texts.fields[field] ?? field}</p>
                <Part part={part as ExplainedPart} open />
              </div>
            ))}
          </div>
        </details>
      ))}
      {shortened && <p className="text-sm text-quiet">{texts.shortened}</p>}
      {changes.length > 0 && (
        <div>
          <p className="mb-1 font-medium">{texts.changes}</p>
          <ul className="list-disc ps-5 marker:text-quiet">
            {changes.map((change) => (
              <li key={change}>
                <Name text={change} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

/** A sub-expression with its value and its parts. */
function Part({ part, open = false }: { part: ExplainedPart; open?: boolean }) {
  const line = (
    <span className="min-w-0 font-mono text-sm break-words">
      {part.element !== undefined && <span className="text-quiet">{escapeInvisible(part.element)}: </span>}
      {escapeInvisible(part.text)}
      <span
        className={`ms-2 ${part.value === 'true' ? 'text-good' : part.value === 'false' || part.error ? 'text-bad' : 'text-accent'}`}
      >
        {part.unasked ? texts.skipped : escapeInvisible(part.value ?? part.error?.message ?? '')}
      </span>
      {part.note !== undefined && <span className="text-quiet"> ({part.note})</span>}
    </span>
  );
  if (part.parts.length === 0) return <div className="py-0.5 ps-5">{line}</div>;
  return (
    <details open={open} className="group/part">
      <summary className="flex list-none items-start gap-1 py-0.5">
        <Icon name="chevron" size={14} className="mt-1 text-quiet transition-transform [details[open]>summary>&]:rotate-90" />
        {line}
      </summary>
      <div className="ms-2 border-s border-line ps-2">
        {part.parts.map((each) => (
          <Part key={`${each.span.start}-${each.span.end}-${each.element ?? ''}`} part={each} />
        ))}
      </div>
    </details>
  );
}
