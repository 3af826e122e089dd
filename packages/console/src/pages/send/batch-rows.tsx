import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import type { Finding } from '../../review/finding.ts';
import { Name } from '../../ui/name.tsx';
import { Badge, Notice } from '../../ui/page.tsx';
import { Sentence } from '../../ui/sentence.tsx';
import { words } from '../../words/index.ts';
import { FindingList } from '../approvals/findings.tsx';
import { type Outcome, OutcomeBadge } from '../sign/simulation.tsx';
import type { PreparedRow } from './batch-previews.ts';
import { type Results, type RowResult, SENT_BEFORE } from './use-batch.ts';

const texts = words.send.batch;

/** What the service says about the payment of a row. */
export interface RowAdvice {
  /** Requests for the same payment. */
  readonly findings: readonly Finding[];
  readonly isLeftOut: boolean;
  /** The expected decision. Undefined if it could not be loaded, or for a row that is wrong. */
  readonly outcome: Outcome | 'checking' | undefined;
}

interface Props {
  rows: readonly PreparedRow[];
  results: Results;
  adviceOn(line: number): RowAdvice;
  /** The sums of the rows that are right. */
  children: ReactNode;
}

/** Every row with what it does, or what is wrong with it. */
export function BatchRows({ rows, results, adviceOn, children }: Props) {
  const wrong = rows.filter(({ row, refused }) => row.problem !== undefined || refused !== undefined).length;
  return (
    <section aria-label={texts.preview} className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <p className="font-medium">{texts.summary(rows.length)}</p>
      <ul className="grid gap-1">{children}</ul>
      {wrong > 0 && <Notice tone="bad" role="alert" title={texts.wrong(wrong)} />}
      <ol className="card divide-y divide-line">
        {rows.map((prepared) => (
          <RowItem
            key={prepared.row.line}
            prepared={prepared}
            result={results.get(prepared.row.line)}
            advice={adviceOn(prepared.row.line)}
          />
        ))}
      </ol>
      <p className="text-sm text-quiet">{texts.judgedAlone}</p>
    </section>
  );
}

interface RowProps {
  prepared: PreparedRow;
  result: RowResult | undefined;
  advice: RowAdvice;
}

function RowItem({ prepared: { row, preview, refused }, result, advice }: RowProps) {
  const { line, recipient, amount, asset, problem, isDuplicate } = row;
  const isDone = result?.activityId !== undefined;
  return (
    <li className="grid gap-1 px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-3 text-sm text-quiet">
        <span>{texts.line(line)}</span>
        {isDuplicate && <span className="font-medium text-bad">{texts.duplicate}</span>}
        {!isDone && <Expected outcome={advice.outcome} />}
        {!isDone && advice.isLeftOut && <Badge tone="wait">{texts.leftOut}</Badge>}
        {result && <Result result={result} />}
      </p>
      {preview === undefined || refused !== undefined ? (
        <p className="break-words">{escapeInvisible(`${recipient} · ${amount} ${asset}`)}</p>
      ) : (
        <p className="text-xl leading-snug break-words">
          <Sentence text={escapeInvisible(preview.reading.sentence)} />
        </p>
      )}
      {row.reference !== '' && (
        <p className="text-sm break-words text-quiet">
          {words.references.label}: <Name text={row.reference} />
        </p>
      )}
      {!isDone && advice.findings.length > 0 && <FindingList findings={advice.findings} />}
      {problem !== undefined && <p className="font-medium text-bad">{texts.rowProblems[problem]}</p>}
      {refused !== undefined && <p className="font-medium text-bad">{refusal(refused)}</p>}
    </li>
  );
}

function Expected({ outcome }: { outcome: RowAdvice['outcome'] }) {
  if (outcome === undefined) return null;
  return outcome === 'checking' ? <Badge>{words.sign.simulating}</Badge> : <OutcomeBadge outcome={outcome} />;
}

function refusal(refused: NonNullable<PreparedRow['refused']>): string {
  if (typeof refused === 'object') return refused.text;
  return refused === 'unprovenContact' ? texts.unprovenContact : words.send.problems[refused];
}

function Result({ result: { activityId, status = '', error } }: { result: RowResult }): ReactNode {
  if (activityId === undefined) return <span className="text-bad">{escapeInvisible(error ?? words.common.failed)}</span>;
  return (
    <Link to="/activities/$activityId" params={{ activityId }} className="text-accent underline underline-offset-2">
      {status === SENT_BEFORE ? texts.sentBefore : (words.statuses[status] ?? status)}
    </Link>
  );
}
