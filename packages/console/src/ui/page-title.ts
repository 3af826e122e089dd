import { createContext, useContext, useEffect } from 'react';

/** Receives the heading of the page that is shown, for the title of the tab. */
export const PageTitle = createContext<(heading: string | undefined) => void>(() => undefined);

/** Names the tab after the heading of the page. */
export function usePageTitle(heading: string): void {
  const show = useContext(PageTitle);
  useEffect(() => {
    show(heading);
    return () => show(undefined);
  }, [show, heading]);
}
