import { Link } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/page.tsx';
import { words } from '../words/index.ts';

export function NotFound() {
  const { title, text, home } = words.shell.notFound;
  return (
    <div className="p-4 md:p-8">
      <Empty icon="search" title={title} text={text}>
        <Link to="/" className="font-medium text-accent underline underline-offset-2">
          {home}
        </Link>
      </Empty>
    </div>
  );
}

export function ErrorPage({ error }: { error: unknown }) {
  const { title, text, reload } = words.shell.fault;
  return (
    <div className="p-4 md:p-8">
      <Empty icon="warning" title={title} text={text}>
        <p className="w-full font-mono text-sm text-quiet">{error instanceof Error ? error.message : ''}</p>
        <Button onClick={() => location.reload()}>{reload}</Button>
      </Empty>
    </div>
  );
}
