import type { ListedActivity } from '@countersign/client';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { voterName } from '../../review/person-name.ts';
import type { Check } from '../../review/types.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;

/** The requester and the votes. In an approval, with the names that the log proves. */
export function Votes({ activity, people }: { activity: ListedActivity; people?: Check['people'] }) {
  return (
    <Section title={texts.votes}>
      <ol className="card divide-y divide-line">
        {activity.votes.map((vote, index) => {
          const { id, selection, createdAt } = vote;
          const isFor = selection === 'VOTE_SELECTION_APPROVED';
          return (
            <li key={id} className="flex items-center gap-3 px-4 py-2.5">
              <span
                className={`inline-flex size-7 items-center justify-center rounded-full ${isFor ? 'bg-good-soft text-good' : 'bg-bad-soft text-bad'}`}
              >
                <Icon name={isFor ? 'check' : 'cross'} size={16} />
              </span>
              <span className="min-w-0 flex-1 truncate">
                <span className="font-medium">
                  {people === undefined ? escapeInvisible(vote.user.userName) : voterName(people, vote)}
                </span>{' '}
                <span className="text-quiet">
                  {index === 0 ? texts.requested : isFor ? texts.voteApproved : texts.voteRejected}
                </span>
              </span>
              <span className="text-sm text-quiet">
                <When at={createdAt} />
              </span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
