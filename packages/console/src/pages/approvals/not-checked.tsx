import { messageOf } from '../../data/errors.ts';
import { words } from '../../words/index.ts';

const texts = words.approvals;

/** In place of a button to approve: a check is running, or failed with this error. */
export function NotChecked({ error }: { error: Error | null }) {
  return (
    <p role="status" className={error === null ? 'text-quiet' : 'text-bad'}>
      {error === null ? texts.checkingAll : `${texts.checkFailed} ${messageOf(error)}`}
    </p>
  );
}
