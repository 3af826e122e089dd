import { describeReport, parseHead, splitLines, type Verdict, verifyAudit } from '../src/index.ts';

/** How long the page may work before it shows how far it is. */
const WORK_MS = 50;

function element<E extends HTMLElement>(id: string, kind: new () => E): E {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

const logKey = element('log-key', HTMLTextAreaElement);
const witnessKeys = element('witness-keys', HTMLTextAreaElement);
const expectedHead = element('expected-head', HTMLInputElement);
const drop = element('drop', HTMLLabelElement);
const input = element('file', HTMLInputElement);
const progress = element('progress', HTMLParagraphElement);
const verdictPlace = element('verdict', HTMLElement);

/** The bytes of a file, part by part, with a pause now and then so that the page stays alive. */
async function* partsOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    yield value;
  }
}

async function* withPauses(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let pausedAtMs = performance.now();
  for await (const line of lines) {
    yield line;
    if (performance.now() - pausedAtMs < WORK_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    pausedAtMs = performance.now();
  }
}

async function verify(file: File): Promise<void> {
  verdictPlace.replaceChildren();
  verdictPlace.className = '';
  progress.textContent = 'Reading…';
  const keys = witnessKeys.value.split('\n').filter((line) => line.trim() !== '');
  const given = expectedHead.value.trim();
  const head = parseHead(given);
  if (given !== '' && head === undefined) {
    progress.textContent = 'The expected leaf must be its number and its hash: 12:8f43…, with 64 hexadecimal digits.';
    return;
  }
  const verdict = await verifyAudit(withPauses(splitLines(partsOf(file))), {
    logKey: logKey.value,
    witnessKeys: keys,
    ...(head !== undefined && { expectedHead: head }),
    onProgress: (lines) => {
      progress.textContent = `${lines.toLocaleString('en-US')} lines checked`;
    },
  });
  progress.textContent = '';
  show(verdict, file.name);
}

/** SECURITY: everything from the file is shown as text, never as markup. */
function show(verdict: Verdict, name: string): void {
  const title = document.createElement('h2');
  title.textContent = verdict.ok ? 'Verified' : 'Not verified';
  const sentences = verdict.ok ? describeReport(verdict.report) : [failureText(verdict.failure)];
  const paragraphs = [name, ...sentences].map((sentence) => {
    const paragraph = document.createElement('p');
    paragraph.textContent = sentence;
    return paragraph;
  });
  verdictPlace.className = verdict.ok ? 'verified' : 'refused';
  verdictPlace.replaceChildren(title, ...paragraphs);
}

function failureText({ line, activityId, reason }: Extract<Verdict, { ok: false }>['failure']): string {
  return `Line ${line}${activityId === undefined ? '' : `, activity ${activityId}`}: ${reason}.`;
}

function take(files: FileList | null | undefined): void {
  const [file] = files ?? [];
  if (file === undefined) return;
  verify(file).catch((error: unknown) => {
    progress.textContent = `The file could not be read: ${String(error)}`;
  });
}

input.addEventListener('change', () => take(input.files));
drop.addEventListener('dragover', (event) => {
  event.preventDefault();
  drop.classList.add('over');
});
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', (event) => {
  event.preventDefault();
  drop.classList.remove('over');
  take(event.dataTransfer?.files);
});
