import { type ProofResult, resultLines } from '@countersign/judgement';
import { type ReactNode, useEffect, useRef } from 'react';
import { escapeInvisible } from '../../../review/escape-invisible.ts';
import { Notice } from '../../../ui/page.tsx';
import { words } from '../../../words/index.ts';
import type { ShownProof } from './use-proof.ts';
import { type Verdict, verdictOf } from './verdict.ts';

const texts = words.policies.prover;
const tones = { PROVEN: 'good', REFUTED: 'bad', UNKNOWN: 'wait' } as const;
/** The verdict as a title. */
export function titleOf(verdict: Verdict, { unless }: Pick<ShownProof, 'unless'>): string {
  return verdict === 'PROVEN' && unless !== undefined ? texts.PROVEN_UNLESS : texts[verdict];
}

/** The outcome of a proof, in the words of the command line. */
export function ProofView({ proof }: { proof: ShownProof }) {
  const { outcome, organization } = proof;
  const verdict = verdictOf(outcome);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In some browsers it returns a promise, which is no clean-up.
    void place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const nameOf = (id: string) =>
    [...organization.assumedPolicies, ...organization.assumedUsers].find((each) => each.id === id)?.name || id;
  return (
    <div ref={place} className="grid gap-4" aria-live="polite">
      <Notice tone={tones[verdict]} title={titleOf(verdict, proof)}>
        {outcome.kind === 'FAILED' && (
          <>
            <p>{texts.failures[outcome.reason]}</p>
            {outcome.detail !== '' && <Code>{outcome.detail}</Code>}
          </>
        )}
        {verdict === 'REFUTED' && (
          <p>
            {texts.confirmed} {texts.unlikely}
          </p>
        )}
      </Notice>
      {outcome.kind === 'RESULTS' &&
        inOrder(outcome.results, verdict).map((result) => <Result key={result.activity} result={result} nameOf={nameOf} />)}
      <Asked proof={proof} />
      {outcome.kind === 'RESULTS' && <Assumptions proof={proof} results={outcome.results} />}
    </div>
  );
}

/** What decides the verdict comes first. One counterexample is enough. */
function inOrder(results: readonly ProofResult[], verdict: Verdict): readonly ProofResult[] {
  const deciding = results.filter((result) => result.verdict === verdict);
  return verdict === 'REFUTED' ? deciding.slice(0, 1) : [...deciding, ...results.filter((result) => result.verdict !== verdict)];
}

function Result({ result, nameOf }: { result: ProofResult; nameOf(id: string): string }) {
  return (
    <div className="grid gap-1">
      {result.verdict !== 'PROVEN' && <p className="font-mono text-xs text-quiet">{result.activity}</p>}
      <ul className="grid gap-0.5">
        {resultLines(result, nameOf).map((line) => (
          <li key={line} className="text-sm wrap-anywhere">
            {escapeInvisible(line)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Asked({ proof: { forbid, unless } }: { proof: ShownProof }) {
  return (
    <div className="grid gap-1">
      <p className="text-sm font-medium">{texts.exactly}</p>
      <Code>
        {texts.forbidIs}: {escapeInvisible(forbid)}
      </Code>
      {unless !== undefined && (
        <Code>
          {texts.unlessIs}: {escapeInvisible(unless)}
        </Code>
      )}
    </div>
  );
}

function Assumptions({ proof, results }: { proof: ShownProof; results: readonly ProofResult[] }) {
  const { assumedPolicies, assumedUsers, rootQuorum, readAtMs } = proof.organization;
  const sentences = [...new Set(results.flatMap((result) => (result.verdict === 'PROVEN' ? result.assumes : [])))];
  return (
    <div className="grid gap-2 text-sm">
      {sentences.length > 0 && (
        <>
          <p className="font-medium">{texts.assumes}</p>
          <ul className="grid list-disc gap-1 ps-5">
            {sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            <li>{texts.credentials}</li>
            <li>{texts.otherKinds}</li>
          </ul>
        </>
      )}
      <Details summary={texts.policies(assumedPolicies.length, new Date(readAtMs).toLocaleTimeString())}>
        {assumedPolicies.map(({ id, name, changedAt }) => (
          <li key={id} className="wrap-anywhere">
            {escapeInvisible(name || texts.unnamed)}{' '}
            <span className="text-quiet">
              {changedAt === undefined ? texts.draft : texts.changed(new Date(Number(changedAt) * 1000).toLocaleString())}
            </span>
          </li>
        ))}
      </Details>
      <Details summary={texts.people(assumedUsers.length)}>
        {assumedUsers.map(({ id, name, tags }) => (
          <li key={id} className="wrap-anywhere">
            {escapeInvisible(name)}{' '}
            <span className="text-quiet">{tags.length === 0 ? texts.noTags : escapeInvisible(tags.join(', '))}</span>
          </li>
        ))}
      </Details>
      <p>{texts.quorum(rootQuorum.threshold, rootQuorum.userIds.length)}</p>
    </div>
  );
}

/** The most items that are listed. */
const MOST_ITEMS = 200;

function Details({ summary, children }: { summary: string; children: readonly ReactNode[] }) {
  return (
    <details>
      <summary className="cursor-pointer">{summary}</summary>
      <ul className="mt-1 grid gap-1 ps-5">
        {children.slice(0, MOST_ITEMS)}
        {children.length > MOST_ITEMS && <li>…</li>}
      </ul>
    </details>
  );
}

function Code({ children }: { children: ReactNode }) {
  return <code className="block font-mono text-xs wrap-anywhere whitespace-pre-wrap">{children}</code>;
}
