import { useState } from 'react';
import { fieldErrors } from '../../data/errors.ts';
import { useServiceQuery } from '../../data/service-query.ts';
import { useSubmit } from '../../data/submit.ts';
import { allPrivateKeys, useWholeList } from '../../data/whole-list.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Name } from '../../ui/name.tsx';
import { Badge, Empty } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { words } from '../../words/index.ts';
import { FreezeButton, FrozenMark } from '../freezes/freeze-button.tsx';
import { chainName, chains } from './chains.ts';
import { KeyTags } from './key-tags.tsx';

const texts = words.wallets;

/** Private keys without a seed, and their tags. */
export function Keys({ isCreating, setCreating }: { isCreating: boolean; setCreating(isOpen: boolean): void }) {
  const query = useWholeList(allPrivateKeys);
  const tags = useServiceQuery('listPrivateKeyTags', {}).data?.privateKeyTags ?? [];
  return (
    <>
      <QueryView query={query}>
        {(privateKeys) =>
          privateKeys.length === 0 ? (
            <Empty icon="key" title={texts.keysEmpty.title} text={texts.keysEmpty.text}>
              <Button icon="plus" onClick={() => setCreating(true)}>
                {texts.createKey}
              </Button>
            </Empty>
          ) : (
            <>
              <KeyTags tags={tags} privateKeys={privateKeys} />
              <div className="card overflow-hidden">
                <VirtualList
                  label={texts.tabs.keys}
                  items={[...privateKeys].reverse()}
                  keyOf={({ privateKeyId }) => privateKeyId}
                  estimate={76}
                >
                  {({ privateKeyId, privateKeyName, addresses, privateKeyTags }) => (
                    <div className="grid gap-1 border-b border-line px-4 py-3">
                      <span className="flex flex-wrap items-center gap-2 font-semibold break-words">
                        <Name text={privateKeyName} />
                        {tags
                          .filter(({ tagId }) => privateKeyTags.includes(tagId))
                          .map(({ tagId, tagName }) => (
                            <Badge key={tagId}>{tagName}</Badge>
                          ))}
                        <FrozenMark id={privateKeyId} />
                        <FreezeButton target={{ privateKeyIds: [privateKeyId] }} name={privateKeyName} look="quiet" />
                      </span>
                      {addresses.map(({ format, address }) => (
                        <span key={format} className="flex flex-wrap items-baseline gap-x-3">
                          <span className="text-sm text-quiet">{chainName(format)}</span>
                          <Code text={address} what={texts.address} />
                        </span>
                      ))}
                    </div>
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
