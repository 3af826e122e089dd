import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { IconName } from './icon.tsx';
import { Empty } from './page.tsx';
import { PageHead } from './page-head.tsx';
import { QueryView } from './query-view.tsx';

interface ListPageProps<Data> {
  texts: { readonly title: string; readonly lead: string; readonly empty: { readonly title: string; readonly text: string } };
  icon: IconName;
  /** Action that adds an item. Shown in the header, and again if the list is empty. */
  action: ReactNode;
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  isEmpty(data: Data): boolean;
  children(data: Data): ReactNode;
}

/** A page with a list, an add action and an empty state. */
export function ListPage<Data>({ texts, icon, action, query, isEmpty, children }: ListPageProps<Data>) {
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead}>
        {action}
      </PageHead>
      <QueryView query={query}>
        {(data) =>
          isEmpty(data) ? (
            <Empty icon={icon} title={texts.empty.title} text={texts.empty.text}>
              {action}
            </Empty>
          ) : (
            children(data)
          )
        }
      </QueryView>
    </>
  );
}
