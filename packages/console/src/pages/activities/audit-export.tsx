import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { dateTimeText } from '../../data/time.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { apiBase, serviceBase } from '../../session/api.ts';
import { useSession } from '../../session/context.tsx';
import { Button } from '../../ui/button.tsx';
import { Code } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Fold, Notice } from '../../ui/page.tsx';
import { ErrorMessage } from '../../ui/query-view.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { words } from '../../words/index.ts';
import type { FileVerdict } from './audit-file.ts';

const texts = words.activities.audit;

/** Exports the log of the organization as a file that anyone can verify. */
export function AuditExport() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.title}</Button>
      {isOpen && <ExportDialog onClose={() => setOpen(false)} />}
    </>
  );
}

interface Exported {
  readonly file: Blob;
  readonly verdict: FileVerdict;
  readonly logKey: string;
  readonly keyState: 'known' | 'new' | 'changed';
}

/** SECURITY: D1160: the file is verified with the log key that this browser saw first, and the verdict is shown before the file is saved. */
function ExportDialog({ onClose }: { onClose: () => void }) {
  const { reader, organizationId } = useSession();
  const [progress, setProgress] = useState('');
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = useMutation({
    async mutationFn(): Promise<Exported> {
      stop.current = new AbortController();
      const { signal } = stop.current;
      setProgress(texts.reading(0));
      await import('../policies/editor/no-jit.ts');
      const [{ readAuditFile, verifyFile }, { loadLogKey, pinnedLogKey }] = await Promise.all([
        import('./audit-file.ts'),
        import('../../review/proof/log-proof.ts'),
      ]);
      const file = await readAuditFile(reader, organizationId, (leaves) => setProgress(texts.reading(leaves)), signal);
      const key = await loadLogKey(apiBase());
      const logKey = await pinnedLogKey(apiBase(), key);
      setProgress(texts.verifying(0));
      const verdict = await verifyFile(file, logKey, (lines) => setProgress(texts.verifying(lines)), signal);
      return { file, verdict, logKey, keyState: key.state };
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title={texts.title} text={texts.text}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {run.isPending && (
          <p role="status" className="number text-quiet">
            {progress}
          </p>
        )}
        {run.error && <ErrorMessage error={run.error} />}
        {run.data === undefined ? (
          <Button look="solid" busy={run.isPending} onClick={() => run.mutate()}>
            {texts.start}
          </Button>
        ) : (
          <Result {...run.data} organizationId={organizationId} />
        )}
        <a href={`${serviceBase()}/verify`} target="_blank" rel="noreferrer" className="text-accent underline underline-offset-2">
          {texts.again}
        </a>
      </div>
    </Dialog>
  );
}

function Result({ file, verdict, logKey, keyState, organizationId }: Exported & { organizationId: string }) {
  const { proof } = words.activities;
  const day = new Date().toISOString().slice(0, 10);
  return (
    <>
      {verdict.ok ? (
        <Notice tone="good" title={texts.verified}>
          {texts.verifiedTo(verdict.leaves, dateTimeText(verdict.lastTimeMs))}
        </Notice>
      ) : (
        <Notice tone="bad" role="alert" title={texts.notVerified}>
          <p>{failureText(verdict.failure)}</p>
          {keyState === 'changed' && <p className="font-medium text-bad">{proof.keyChanged}</p>}
          <p>{texts.notVerifiedText}</p>
        </Notice>
      )}
      {verdict.ok && (
        <Fold title={texts.report}>
          <ul className="grid gap-2 text-sm wrap-anywhere">
            {verdict.sentences.map((sentence) => (
              <li key={sentence}>{escapeInvisible(sentence)}</li>
            ))}
          </ul>
        </Fold>
      )}
      <div>
        <p className="text-sm text-quiet">{proof.key}</p>
        <Code text={logKey} what={proof.key} />
        {keyState === 'new' && <p className="text-sm text-quiet">{proof.keyFirst}</p>}
      </div>
      <Button look="solid" onClick={() => saveFile(`audit-${organizationId}-${day}.jsonl`, 'application/jsonl', file)}>
        {texts.save}
      </Button>
    </>
  );
}

const failureText = ({ line, activityId, reason }: Extract<FileVerdict, { ok: false }>['failure']): string =>
  escapeInvisible(texts.failure(line, activityId, reason));
