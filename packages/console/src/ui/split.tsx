import { type ReactNode, useEffect, useRef } from 'react';

/** A list and its selected item: side by side on desktops, stacked on phones. */
export function Split({ list, detail, open }: { list: ReactNode; detail: ReactNode; open: boolean }) {
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) window.scrollTo(0, 0);
  }, [open]);
  return (
    <div ref={top} className="lg:grid lg:grid-cols-[minmax(16rem,20rem)_minmax(0,1fr)] lg:items-start lg:gap-6">
      <div className={open ? 'hidden lg:block' : ''}>{list}</div>
      <div className={open ? '' : 'hidden lg:block'}>{detail}</div>
    </div>
  );
}
