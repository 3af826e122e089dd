import type { ChildProcess } from 'node:child_process';

/** Longer than any answer takes, on top of the time that the question itself asks for. */
const PATIENCE_MS = 60_000;

type Failure = { readonly kind: 'failed'; readonly message: string };

/**
 * Asks one of our processes a question and waits for its one answer. Rejects if the process reports a failure, exits instead of
 * answering, or stays silent long after the `seconds` that the question takes.
 */
export function ask<Answer extends { readonly kind: string }>(
  child: ChildProcess,
  question: object,
): Promise<Exclude<Answer, Failure>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => settle(() => reject(new Error('a benchmark process does not answer'))),
      askedMs(question) + PATIENCE_MS,
    );
    function settle(act: () => void): void {
      clearTimeout(timer);
      child.off('exit', onExit).off('message', onMessage);
      act();
    }
    function onExit(code: number | null, signal: string | null): void {
      settle(() => reject(new Error(`a benchmark process ended early (${signal ?? `code ${code}`})`)));
    }
    function onMessage(answer: Exclude<Answer, Failure> | Failure): void {
      settle(() => (isFailure(answer) ? reject(new Error(answer.message)) : resolve(answer)));
    }
    child.on('exit', onExit).on('message', onMessage);
    child.send(question);
  });
}

function askedMs(question: object): number {
  return 'seconds' in question ? Number(question.seconds) * 1000 : 0;
}

function isFailure(answer: { readonly kind: string }): answer is Failure {
  return answer.kind === 'failed';
}
