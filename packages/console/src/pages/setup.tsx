import { useKeyLink } from '../session/use-key-link.ts';
import { CenteredPage } from '../ui/centered-page.tsx';
import { words } from '../words/index.ts';
import { LinkSteps } from './link-steps.tsx';

const texts = words.identity.setup;

/** Target page of the setup link, which registers the first passkey. */
export function SetupPage() {
  return (
    <CenteredPage title={texts.title} lead={texts.lead}>
      <LinkSteps link={useKeyLink()} action={texts.make} missing={texts.missing} />
      <ol className="mt-6 grid gap-2 border-t border-line pt-4 text-sm text-quiet">
        {texts.steps.map((step, index) => (
          <li key={step} className="flex items-center gap-2.5">
            <span className="number inline-flex size-5 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
              {index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
    </CenteredPage>
  );
}
