import { useEffect, useRef, useState } from 'react';
import type { Filter } from './filter.ts';

/** Time without a key before the text is in the address of the page. */
const REST_MS = 250;

/**
 * The text of the search field. It is written to the address after a pause, so that typing does not wait for the router, and follows the
 * address if that changes otherwise, such as by a link.
 */
export function useSearchText(filter: Filter, open: (next: Filter) => void): [string, (text: string) => void] {
  const [text, setText] = useState(filter.text ?? '');
  const written = useRef(text);
  const inAddress = filter.text ?? '';
  useEffect(() => {
    if (inAddress === written.current) return;
    written.current = inAddress;
    setText(inAddress);
  }, [inAddress]);
  const write = useRef(() => {});
  write.current = () => {
    const { text: _, ...rest } = filter;
    written.current = text;
    open(text === '' ? rest : { ...rest, text });
  };
  useEffect(() => {
    if (text === written.current) return;
    const timer = setTimeout(() => write.current(), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
