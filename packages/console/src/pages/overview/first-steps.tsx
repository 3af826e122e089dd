import { Link } from '@tanstack/react-router';
import { useServiceQuery } from '../../data/service-query.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.overview;
/** Two items are enough to know whether there is a second one. */
const few = { paginationOptions: { limit: '2' } };

/** First steps of a new organization. Disappears when all steps are done. */
export function FirstSteps() {
  const wallets = useServiceQuery('listWallets', few).data?.wallets;
  const users = useServiceQuery('listUsers', few).data?.users;
  const policies = useServiceQuery('listPolicies', few).data?.policies;
  if (!wallets || !users || !policies) return null;
  const done = [wallets.length > 0, users.length > 1, policies.length > 0];
  if (done.every(Boolean)) return null;
  return (
    <Section title={texts.nothingYet.title} lead={texts.nothingYet.text}>
      <ol className="grid gap-3 md:grid-cols-3">
        {texts.steps.map((step, index) => (
          <li key={step.title}>
            <Link to={step.to} className="card flex h-full items-start gap-3 px-4 py-4 hover:border-line-strong">
              <span
                className={`number inline-flex size-7 shrink-0 items-center justify-center rounded-full font-semibold ${done[index] ? 'bg-good-soft text-good' : 'bg-accent-soft text-accent'}`}
              >
                {done[index] ? <Icon name="check" size={16} /> : index + 1}
              </span>
              <span>
                <span className={`block font-semibold ${done[index] ? 'text-quiet line-through' : ''}`}>{step.title}</span>
                <span className="text-sm text-quiet">{step.text}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </Section>
  );
}
