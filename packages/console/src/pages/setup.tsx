import { openLink } from '../session/session.ts';
import { useKeyLink } from '../session/use-key-link.ts';
import { CenteredPage } from '../ui/centered-page.tsx';
import { Notice } from '../ui/page.tsx';
import { words } from '../words/index.ts';
import { NewPasskeyForm } from './new-passkey.tsx';

const texts = words.identity.setup;

/** Target page of the setup link, which registers the first passkey. */
export function SetupPage() {
  const link = useKeyLink();
  return (
    <CenteredPage title={texts.title} lead={texts.lead}>
      {link === undefined ? (
        <Notice tone="bad" title={texts.missing} />
      ) : (
        <NewPasskeyForm action={texts.make} open={(name) => openLink(link, name)} />
      )}
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
