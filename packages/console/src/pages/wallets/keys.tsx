import { useState } from 'react';
import { useAsk } from '../../data/ask.ts';
import { fieldErrors } from '../../data/errors.ts';
import { useSubmit } from '../../data/submit.ts';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Answer } from '../../ui/fault.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Badge, Empty } from '../../ui/page.tsx';
import { words } from '../../words/index.ts';
import { chainName, chains } from './chains.ts';

const said = words.wallets;

/** Private keys without a seed. */
export function Keys({ isCreating, setCreating }: { isCreating: boolean; setCreating(isOpen: boolean): void }) {
  const query = useAsk('listPrivateKeys', {});
  const tags = useAsk('listPrivateKeyTags', {}).data?.privateKeyTags ?? [];
  return (
    <>
      <Answer query={query}>
        {({ privateKeys }) =>
          privateKeys.length === 0 ? (
            <Empty icon="key" title={said.keysEmpty.title} text={said.keysEmpty.text}>
              <Button icon="plus" onClick={() => setCreating(true)}>
                {said.createKey}
              </Button>
            </Empty>
          ) : (
            <ul className="card divide-y divide-line">
              {[...privateKeys].reverse().map(({ privateKeyId, privateKeyName, addresses, privateKeyTags }) => (
                <li key={privateKeyId} className="grid gap-1 px-4 py-3">
                  <span className="flex flex-wrap items-center gap-2 font-semibold">
                    {privateKeyName}
                    {tags
                      .filter(({ tagId }) => privateKeyTags.includes(tagId))
                      .map(({ tagId, tagName }) => (
                        <Badge key={tagId}>{tagName}</Badge>
                      ))}
                  </span>
                  {addresses.map(({ format, address }) => (
                    <span key={format} className="flex flex-wrap items-baseline gap-x-3">
                      <span className="text-sm text-quiet">{chainName(format)}</span>
                      <Code text={address} what={said.address} />
                    </span>
                  ))}
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      {isCreating && <CreateKey onClose={() => setCreating(false)} />}
    </>
  );
}

function CreateKey({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [chainId, setChainId] = useState<string>('ethereum');
  const create = useSubmit('createPrivateKeys', { done: said.keyMade, onSent: onClose });
  const errors = fieldErrors(create.error);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={said.createKey}>
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const { curve, addressFormat } = chains.find(({ id }) => id === chainId) ?? chains[0];
          create.mutate({
            privateKeys: [{ privateKeyName: name.trim(), curve, privateKeyTags: [], addressFormats: [addressFormat] }],
          });
        }}
      >
        <TextField label={words.common.name} value={name} onChange={setName} error={errors['privateKeys.0.privateKeyName']} />
        <SelectField
          label={said.chain}
          value={chainId}
          onChange={setChainId}
          options={chains.map(({ id, name: label }) => ({ value: id, label }))}
        />
        <Button type="submit" look="solid" icon="passkey" busy={create.isPending} disabled={name.trim() === ''}>
          {said.createKey}
        </Button>
      </form>
    </Dialog>
  );
}
