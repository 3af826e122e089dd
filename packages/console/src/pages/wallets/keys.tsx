import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { allPrivateKeys, useWholeList } from '../../data/whole-list.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';
import { chains } from './chains.ts';
import { KeyRow } from './key-row.tsx';
import { KeyTags } from './key-tags.tsx';
import { useDisabledKeys } from './use-disabled-keys.ts';

const texts = words.wallets;

/** Private keys without a seed, and their tags. */
export function Keys({ isCreating, setCreating }: { isCreating: boolean; setCreating(isOpen: boolean): void }) {
  const query = useWholeList(allPrivateKeys);
  const tags = useServiceQuery('listPrivateKeyTags', {}).data?.privateKeyTags ?? [];
  const disabled = useDisabledKeys();
  return (
    <>
      <QueryView query={query}>
        {(privateKeys) =>
          privateKeys.length === 0 ? (
            <Empty icon="key" title={texts.keysEmpty.title} text={texts.keysEmpty.text}>
              <ActionButton submits="createPrivateKeys" icon="plus" onClick={() => setCreating(true)}>
                {texts.createKey}
              </ActionButton>
            </Empty>
          ) : (
            <>
              <KeyTags tags={tags} privateKeys={privateKeys} />
              <div className="card overflow-hidden">
                <VirtualList
                  label={texts.tabs.keys}
                  items={[...privateKeys].reverse()}
                  keyOf={({ privateKeyId }) => privateKeyId}
                  estimate={116}
                >
                  {(privateKey) => (
                    <KeyRow
                      privateKey={privateKey}
                      tags={tags.filter(({ tagId }) => privateKey.privateKeyTags.includes(tagId)).map(({ tagName }) => tagName)}
                      isDisabled={disabled.has(privateKey.privateKeyId)}
                    />
                  )}
                </VirtualList>
              </div>
            </>
          )
        }
      </QueryView>
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </>
  );
}

function CreateKey({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [chainId, setChainId] = useState<string>('ethereum');
  const create = useSubmit('createPrivateKeys', { done: texts.keyMade, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <FormDialog
      title={texts.createKey}
      isUnfinished={name.trim() === ''}
      isBusy={create.isPending}
      onSubmit={() => {
        const { curve, addressFormat } = chains.find(({ id }) => id === chainId) ?? chains[0];
        create.mutate({
          privateKeys: [{ privateKeyName: name.trim(), curve, privateKeyTags: [], addressFormats: [addressFormat] }],
        });
      }}
      onClose={onClose}
    >
      <TextField label={words.common.name} value={name} onChange={setName} error={errors['privateKeys.0.privateKeyName']} />
      <SelectField
        label={texts.chain}
        value={chainId}
        onChange={setChainId}
        options={chains.map(({ id, name: label }) => ({ value: id, label }))}
      />
    </FormDialog>
  );
}
