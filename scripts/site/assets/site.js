/** Searches the index of the site, which is loaded when somebody first searches. Nothing leaves the browser. */
const own = document.querySelector('script[data-index]');
const input = document.querySelector('#search');
const results = document.querySelector('#results');
const MOST = 12;
let loading;
let chosen = -1;

const load = () => {
  loading ??= fetch(new URL(own.dataset.index, location.href)).then((response) => response.json());
  return loading;
};

/** How well a section fits: every word must be in it; words in titles count most. */
function score([, page, section, text], words) {
  let sum = 0;
  for (const word of words) {
    const title = page.toLowerCase();
    const inTitle = title === word ? 60 : title.startsWith(word) ? 30 : title.includes(word) ? 20 : 0;
    const inSection = section.toLowerCase().includes(word) ? 12 : 0;
    const inText = text.toLowerCase().includes(word) ? 2 : 0;
    if (inTitle + inSection + inText === 0) return 0;
    sum += inTitle + inSection + inText;
  }
  return section === '' ? sum + 1 : sum;
}

function show(found, words) {
  chosen = -1;
  results.replaceChildren(...found.map((entry) => item(entry, words)));
  results.hidden = found.length === 0 && words.length === 0;
  if (found.length === 0 && words.length > 0) {
    const nothing = document.createElement('li');
    nothing.textContent = 'Nothing was found.';
    results.append(nothing);
  }
  input.setAttribute('aria-expanded', String(!results.hidden));
}

function item([path, page, section, text], words) {
  const link = document.createElement('a');
  link.href = own.dataset.root + path;
  const title = document.createElement('strong');
  title.textContent = section === '' ? page : `${page} › ${section}`;
  const excerpt = document.createElement('span');
  const at = Math.max(0, text.toLowerCase().indexOf(words[0] ?? '') - 40);
  excerpt.textContent = (at > 0 ? '…' : '') + text.slice(at, at + 120);
  link.append(title, excerpt);
  const line = document.createElement('li');
  line.setAttribute('role', 'option');
  line.append(link);
  return line;
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return show([], words);
  const index = await load();
  const scored = index.map((entry) => [score(entry, words), entry]).filter(([points]) => points > 0);
  scored.sort((a, b) => b[0] - a[0]);
  show(
    scored.slice(0, MOST).map(([, entry]) => entry),
    words,
  );
}

function choose(step) {
  const links = [...results.querySelectorAll('a')];
  if (links.length === 0) return;
  chosen = (chosen + step + links.length) % links.length;
  for (const [index, link] of links.entries()) link.classList.toggle('chosen', index === chosen);
  links[chosen].scrollIntoView({ block: 'nearest' });
}

input.addEventListener('focus', load);
input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    choose(event.key === 'ArrowDown' ? 1 : -1);
  } else if (event.key === 'Enter') {
    results.querySelectorAll('a')[Math.max(0, chosen)]?.click();
  } else if (event.key === 'Escape') {
    input.value = '';
    show([], []);
    input.blur();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) results.hidden = true;
});
