import { useState } from 'react';
import { usePages } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge } from '../../ui/page.tsx';
import { RowActions } from '../../ui/row-actions.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { ExportSecretContent } from './export-secret.tsx';
import { ImportSecret } from './import-secret.tsx';

const texts = words.secrets;

/** Names and properties of secrets. Contents are shown only after an export. */
export function SecretsPage() {
  const pages = usePages(
    'listSecrets',
    {},
    (page) => page.secrets,
    ({ secretId }) => secretId,
  );
  const [isImporting, setImporting] = useState(false);
  const [exporting, setExporting] = useState<{ secretId: string; name: string }>();
  const [removing, setRemoving] = useState<{ secretId: string; name: string }>();
  const remove = useSubmit('deleteSecrets', { done: texts.removed, onSent: () => setRemoving(undefined) });
  return (
    <>
      <ListPage
        texts={texts}
        icon="secrets"
        action={
          <ActionButton submits="initImportSecrets" look="solid" icon="plus" onClick={() => setImporting(true)}>
            {texts.create}
          </ActionButton>
        }
        query={pages}
        isEmpty={() => pages.items.length === 0}
      >
        {() => (
          <>
            <ul className="card divide-y divide-line" aria-label={texts.title}>
              {pages.items.map(({ secretId, name = '', staticProperties, createdAtUnixMs }) => {
                const secret = { secretId, name: name === '' ? texts.unnamed : name };
                return (
                  <li key={secretId} className="flex flex-wrap items-center gap-3 px-4 py-3">
                    <span className="min-w-0 flex-1 basis-64">
                      <span className="block font-semibold break-words">
                        <Name text={secret.name} />
                      </span>
                      <span className="flex flex-wrap items-center gap-1.5 text-sm text-quiet">
                        <span>
                          {words.common.created} <When at={{ seconds: String(Math.floor(Number(createdAtUnixMs) / 1000)) }} />
                        </span>
                        {staticProperties.map(({ key, value }) => (
                          <Badge key={key}>{`${key} = ${value}`}</Badge>
                        ))}
                      </span>
                    </span>
                    <RowActions>
                      <ActionButton submits="exportSecrets" look="quiet" onClick={() => setExporting(secret)}>
                        {texts.export}
                      </ActionButton>
                      <ActionButton submits="deleteSecrets" look="quiet" onClick={() => setRemoving(secret)}>
                        {words.common.remove}
                      </ActionButton>
                    </RowActions>
                  </li>
                );
              })}
            </ul>
            {pages.hasMore && (
              <p className="mt-3">
                <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                  {texts.more}
                </Button>
              </p>
            )}
          </>
        )}
      </ListPage>
      {isImporting && <ImportSecret onClose={() => setImporting(false)} />}
      {exporting && <ExportSecretContent {...exporting} onClose={() => setExporting(undefined)} />}
      {removing && (
        <Confirm
          title={texts.removeTitle}
          text={texts.removeText}
          action={words.common.remove}
          word={removing.name}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ secretIds: [removing.secretId] })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}
