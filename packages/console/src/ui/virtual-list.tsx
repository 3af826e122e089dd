import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface VirtualListProps<Item> {
  label: string;
  items: readonly Item[];
  keyOf(item: Item): string;
  /** Estimated height of an item. The real height is measured. */
  estimate: number;
  /** Loads the next page. Called when the end becomes visible. */
  more?: (() => void) | undefined;
  children(item: Item): ReactNode;
}

/** A virtual list: only visible items are in the page. */
export function VirtualList<Item>({ label, items, keyOf, estimate, more, children }: VirtualListProps<Item>) {
  const list = useRef<HTMLUListElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  // Content above the list may change its height at any time.
  useLayoutEffect(() => setScrollMargin(list.current?.offsetTop ?? 0));
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => estimate,
    overscan: 6,
    scrollMargin,
    getItemKey: (index) => keyOf(items[index] as Item),
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more !== undefined && last >= items.length - 5) more();
  }, [last, items.length, more]);
  return (
    <ul ref={list} aria-label={label} className="relative" style={{ height: virtualizer.getTotalSize() }}>
      {rows.map((row) => (
        <li
          key={row.key}
          data-index={row.index}
          ref={virtualizer.measureElement}
          aria-setsize={items.length}
          aria-posinset={row.index + 1}
          // The last row needs no divider.
          className={`absolute inset-x-0 top-0 ${row.index === items.length - 1 ? '[&>*]:border-b-0' : ''}`}
          style={{ transform: `translateY(${row.start - scrollMargin}px)` }}
        >
          {children(items[row.index] as Item)}
        </li>
      ))}
    </ul>
  );
}
