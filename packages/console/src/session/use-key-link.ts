import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { takeLinkParameters } from './link-secret.ts';
import { type KeyLink, readKeyLink } from './one-time-link.ts';

/**
 * The one-time key link that opened this page. Undefined for other addresses.
 * SECURITY: D215: another link may be opened while the page is shown. Remove its key from the address too. The browser's history keeps it.
 */
export function useKeyLink(): KeyLink | undefined {
  const { searchStr } = useLocation();
  const [link, setLink] = useState(() => readKeyLink(takeLinkParameters()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect depends on the address
  useEffect(() => {
    const given = takeLinkParameters();
    if (given.toString() !== '') setLink(readKeyLink(given));
  }, [searchStr]);
  return link;
}
