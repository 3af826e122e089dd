import { Link } from '@tanstack/react-router';
import { Notice } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';

const texts = words.send.notBuilt;

/** A network whose payments need its state, and with which the service is not connected. */
export function NotBuilt() {
  return (
    <Notice tone="wait" title={texts.title}>
      <p>{texts.text}</p>
      <Link to="/sign" className="font-medium text-accent underline underline-offset-2">
        {texts.sign}
      </Link>
    </Notice>
  );
}
