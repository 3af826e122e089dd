import { Link } from '@tanstack/react-router';
import { Notice } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.send.notBuilt;

/** A network whose payments need its state, and with which the service is not connected. */
export function NotBuilt({ canPaste }: { canPaste: boolean }) {
  return (
    <Notice tone="wait" title={texts.title}>
      <p>{canPaste ? texts.text : texts.nothing}</p>
      {canPaste && (
        <Link to="/sign" className="font-medium text-accent underline underline-offset-2">
          {texts.sign}
        </Link>
      )}
    </Notice>
  );
}
