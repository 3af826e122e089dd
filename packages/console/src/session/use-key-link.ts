import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { takeLinkParameters } from './link-secret.ts';
import { type KeyLink, readKeyLink } from './session.ts';

/**
 * The link with a one-time key that led to this page. Undefined where it is none.
 * SECURITY: D215: another link may be opened while the page is shown. Its key leaves the address too.
 */
export function useKeyLink(): KeyLink | undefined {
  const { searchStr } = useLocation();
  const [link, setLink] = useState(() => readKeyLink(takeLinkParameters()));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is looked at whenever it changes
  useEffect(() => {
    const given = takeLinkParameters();
    if (given.toString() !== '') setLink(readKeyLink(given));
  }, [searchStr]);
  return link;
}
