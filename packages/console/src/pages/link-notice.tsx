import { Link } from '@tanstack/react-router';
import type { LinkProblem } from '../session/one-time-link.ts';
import { Notice } from '../ui/page.tsx';
import { words } from '../words/index.ts';

const texts = words.identity.link;

/** Explains why a link cannot register a passkey here, and what to do instead. */
export function LinkNotice({ problem }: { problem: LinkProblem | 'registered' | 'noPasskeys' | 'otherBrowser' }) {
  const { title, text } = texts.problems[problem];
  return (
    <Notice tone={problem === 'registered' ? 'wait' : 'bad'} role="alert" title={title}>
      <p>{text}</p>
      {problem !== 'noPasskeys' && (
        <p className="mt-2">
          <Link
            to="/sign-in"
            search={{ to: undefined, organization: undefined }}
            className="text-accent underline underline-offset-2"
          >
            {texts.toSignIn}
          </Link>
        </p>
      )}
    </Notice>
  );
}
