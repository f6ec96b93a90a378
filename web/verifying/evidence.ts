/**
 * The verifier of the verification page: evidence that is dropped, opened or pasted, or the whole log. Nothing of it
 * leaves the browser. Several files are judged together: a bare proof finds the entry that it is about in the others.
 */
import {
  verifyBundle,
  verifyCheckpoint,
  verifyLogAt,
  verifyProofText,
  type Check,
  type Report,
  type Trust,
} from '../../verify/index.ts';
import { judgeFork } from './fork.ts';
import { expected, readEvidence } from './read-evidence.ts';
import { broken, counted, notCommitted, root, show, siteKey, verifying } from './seal.ts';

interface Given {
  /** '' for pasted text. */
  readonly name: string;
  readonly text: string;
}

/** What one text came to. */
interface Finding {
  readonly name: string;
  readonly state: 'sound' | 'broken' | 'unreadable' | 'open' | 'forked';
  /** What it is, or why it cannot be read. */
  readonly text: string;
  readonly checks: readonly Check[];
  /** What it was held against, where that is not what the others are. */
  readonly whose?: string;
}

export function verifyEvidencePage(form: HTMLElement): void {
  const evidence = field('document');
  const file = field('file');

  evidence.addEventListener('input', showEntryField);
  file.addEventListener('change', () => {
    if (file instanceof HTMLInputElement) void open([...(file.files ?? [])]);
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void judgeAll([{ name: '', text: evidence.value }]);
  });
  document.getElementById('verify-log')?.addEventListener('click', () => {
    void verifying(async () => {
      clearFindings();
      const { trust, whose } = await trusted();
      const progress = (done: number, of: number) =>
        show('working', `${done} of ${of} entries of the log so far.`);
      tell('the whole log', await verifyLogAt(root.href, { ...trust, progress }), whose);
    });
  });
  form.hidden = false;
  takeDrops();

  /** Files may be dropped anywhere on the page. */
  function takeDrops(): void {
    const zone = document.getElementById('drop-zone');
    let inside = 0;
    const mark = (): void => void zone?.classList.toggle('drop-over', inside > 0);
    addEventListener('dragenter', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      inside++;
      mark();
    });
    addEventListener('dragleave', () => {
      inside = Math.max(0, inside - 1);
      mark();
    });
    addEventListener('dragover', (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
    addEventListener('drop', (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      inside = 0;
      mark();
      void open([...(event.dataTransfer?.files ?? [])]);
    });
  }

  async function open(files: readonly File[]): Promise<void> {
    if (files.length === 0) return;
    const opened = await Promise.all(
      files.map(async (each) => ({ name: each.name, text: await each.text() })),
    );
    const policy = opened.find(({ text }) => isPolicy(text));
    if (policy !== undefined) showPolicy(policy.text);
    const given = opened.filter((each) => each !== policy);
    if (given.length === 0) return show('open', 'The policy is taken. Drop what it is to judge.');
    // What was opened stands in the field, where it can be read and changed.
    if (given.length === 1) {
      evidence.value = given[0]?.text ?? '';
      showEntryField();
    }
    await judgeAll(given);
  }

  /** A bare proof names no entry, so the reader has to. */
  function showEntryField(): void {
    const entryField = document.getElementById('entry-field');
    if (entryField !== null)
      entryField.hidden = !evidence.value.trimStart().startsWith('c2sp.org/tlog-proof@');
  }
}

/** A policy has exactly one line that begins with `quorum`; no evidence has. */
function isPolicy(text: string): boolean {
  return /^[ \t]*quorum[ \t]+\S+[ \t]*$/m.test(text) && !/^\s*[[{"]/.test(text);
}

function showPolicy(text: string): void {
  field('policy').value = text;
  const box = document.getElementById('policy-box');
  if (box instanceof HTMLDetailsElement) box.open = true;
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

async function judgeAll(given: readonly Given[]): Promise<void> {
  await verifying(async () => {
    clearFindings();
    const [only] = given;
    if (given.length === 1 && only?.text.trim() === '')
      return show('open', 'There is nothing to verify: drop a file, or paste a document first.');
    const { trust, whose } = await trusted();
    const entries = [field('entry').value.trim(), ...given.flatMap(({ text }) => hashesIn(text))].filter(
      (entry) => entry !== '',
    );
    const findings: Finding[] = [];
    for (const each of given) findings.push(await judge(each, trust, entries));
    const [finding] = findings;
    if (findings.length === 1 && finding !== undefined) return showOne(finding, whose);
    showSeveral(findings, whose);
  });
}

async function judge(
  { name, text: given }: Given,
  trust: Trust,
  entries: readonly string[],
): Promise<Finding> {
  const evidence = readEvidence(given);
  if (evidence.kind === 'unreadable') return { name, state: 'unreadable', text: evidence.why, checks: [] };
  const { kind, what, text } = evidence;
  if (kind === 'proof' && entries.length === 0)
    return {
      name,
      state: 'open',
      text: `It is ${what}. A proof does not name its entry: give the hash of the entry, or drop the receipt together with it.`,
      checks: [],
    };
  if (kind === 'fork') {
    const { convicts, text: found, checks } = await judgeFork(text, givenTrust());
    return convicts
      ? { name, state: 'forked', text: found, checks }
      : { name, state: 'broken', text: what, checks, whose: 'the key that it is about' };
  }
  const { ok, checks, uncovered } =
    kind === 'proof'
      ? await proofOfAny(text, trust, entries)
      : kind === 'checkpoint'
        ? await verifyCheckpoint(text, trust)
        : await verifyBundle(text, trust);
  // Nothing in it was of a kind that could be checked.
  if (!ok && checks.every((check) => check.id === 'document'))
    return {
      name,
      state: 'unreadable',
      text: `It is JSON without evidence: ${checks[0]?.detail ?? ''}.`,
      checks: [],
    };
  const notes = notCommitted(uncovered).map((detail) => ({ id: 'uncovered', ok: true, detail }));
  return { name, state: ok ? 'sound' : 'broken', text: what, checks: ok ? [...checks, ...notes] : checks };
}

/** The proof held against each entry that it may be about; the report of the first that it proves. */
async function proofOfAny(proof: string, trust: Trust, entries: readonly string[]): Promise<Report> {
  let first: Report | undefined;
  for (const entry of entries) {
    const report = await verifyProofText(proof, trust, entry);
    if (report.ok) return report;
    first ??= report;
  }
  return first ?? { ok: false, checks: [] };
}

const hashesMax = 400;

/** Hashes of entries that a document names, for a proof that was dropped beside it. */
function hashesIn(text: string): string[] {
  return Array.from(
    text.matchAll(/"(?:entry_)?hash"\s*:\s*"([0-9a-f]{64})"/g),
    ([, hash = '']) => hash,
  ).slice(0, hashesMax);
}

/** What the kinds of checks are about, in the words of the page. */
const parts: Readonly<Record<string, string>> = {
  document: 'the document',
  chain: 'a chain of entries',
  entry: 'an entry',
  signature: 'the signature of the log',
  quorum: 'the quorum of witnesses',
  policy: 'the policy',
  inclusion: 'the place in the log',
  proof: 'the proof',
  evidence: 'the form of the evidence',
  key: 'the key',
  fork: 'the contradiction of the two checkpoints',
  claim: 'the text of a claim',
  div: 'the text of a block',
  body: 'the text of the article',
  source: 'a source',
  contribution: 'a contribution',
  post: 'an entry of the discussion',
  receipt: 'what the receipt says',
  checkpoint: 'the checkpoint',
  root: 'the root of the log',
  content: 'a content that an entry commits to',
  order: 'the order of the blocks',
  membership: 'which blocks belong to the article',
  counts: 'the counts',
  gates: 'the gates of the call',
  id: 'the id',
  said: 'what the caller typed',
  verification: 'what the server says of itself',
};

/** Which parts are broken, each once, and what a wrong signature usually means. */
function whatBroke(checks: readonly Check[]): string {
  const failures = broken(checks);
  const named = [...new Set(failures.map(({ id }) => parts[id] ?? id))];
  const hint = failures.some(({ id }) => id === 'signature')
    ? ' A signature fails if the document was changed, or if it comes from another log than the key.'
    : '';
  return `Broken: ${named.join(', ')}.${hint}`;
}

function showOne({ state, text, checks, whose: own }: Finding, usual: string): void {
  const whose = own ?? usual;
  switch (state) {
    case 'sound':
      return show(
        'sound',
        `It is ${text}. ${counted(checks.length, 'check')} passed, against ${whose}.`,
        checks,
      );
    case 'broken':
      return show(
        'broken',
        `It is ${text}. Against ${whose}, ${broken(checks).length} of ${checks.length} checks failed. ${whatBroke(checks)}`,
        broken(checks),
      );
    case 'forked':
      return show('forked', text, checks);
    case 'unreadable':
      return show('unreadable', `${text} ${expected}`);
    case 'open':
      return show('open', text);
  }
}

const verdicts = {
  sound: 'Verifies',
  broken: 'Does not verify',
  forked: 'This key signed two histories',
  unreadable: 'Cannot be read',
  open: 'Not verified',
} as const;

function showSeveral(findings: readonly Finding[], whose: string): void {
  const sound = findings.filter(({ state }) => state === 'sound').length;
  const isBroken = findings.some(({ state }) => state === 'broken');
  const isForked = findings.some(({ state }) => state === 'forked');
  show(
    sound === findings.length ? 'sound' : isForked ? 'forked' : isBroken ? 'broken' : 'open',
    `${sound} of ${counted(findings.length, 'file')} verified, against ${whose}.`,
  );
  const list = document.getElementById('findings');
  if (list === null) return;
  list.hidden = false;
  for (const { name, state, text, checks } of findings) {
    const item = document.createElement('li');
    item.dataset['state'] = state;
    const head = document.createElement('p');
    const verdict = document.createElement('strong');
    verdict.textContent = verdicts[state];
    const file = document.createElement('code');
    file.textContent = name;
    head.append(verdict, ' ', file, ` ${state === 'sound' || state === 'broken' ? `It is ${text}.` : text}`);
    if (state === 'broken') head.append(` ${whatBroke(checks)}`);
    if (state === 'unreadable') head.append(` ${expected}`);
    item.append(head);
    const shown = state === 'broken' ? broken(checks) : checks;
    if (shown.length > 0) item.append(checkList(shown, state === 'broken'));
    list.append(item);
  }
}

function checkList(checks: readonly Check[], isOpen: boolean): HTMLElement {
  const details = document.createElement('details');
  details.open = isOpen;
  const summary = document.createElement('summary');
  summary.textContent = isOpen ? 'What failed' : 'What was checked';
  const list = document.createElement('ul');
  for (const { detail, at } of checks) {
    const item = document.createElement('li');
    item.textContent = `${detail}${at === undefined || at === '' ? '' : ` (at ${at})`}`;
    list.append(item);
  }
  details.append(summary, list);
  return details;
}

function clearFindings(): void {
  const list = document.getElementById('findings');
  if (list === null) return;
  list.hidden = true;
  list.replaceChildren();
}

function field(id: string): HTMLTextAreaElement | HTMLInputElement {
  const found = document.getElementById(id);
  if (!(found instanceof HTMLTextAreaElement || found instanceof HTMLInputElement))
    throw new Error(`the page has no field ${id}`);
  return found;
}

/** What the reader has filled in, without the key of the site. */
function givenTrust(): Trust {
  const given = field('trusted-key').value.trim();
  const policy = field('policy').value;
  return {
    ...(given === '' ? {} : { verifierKey: given }),
    ...(policy.trim() === '' ? {} : { policy }),
  };
}

/** The key that was given or that of the site, unless a policy names the log. */
async function trusted(): Promise<{
  readonly trust: { verifierKey?: string; policy?: string };
  readonly whose: string;
}> {
  const given = field('trusted-key').value.trim();
  const policy = field('policy').value;
  if (policy.trim() === '')
    return given === ''
      ? { trust: { verifierKey: await siteKey() }, whose: 'the key that this site publishes' }
      : { trust: { verifierKey: given }, whose: 'the key that was given' };
  if (given !== '') return { trust: { verifierKey: given, policy }, whose: 'the given key and policy' };
  return /^[ \t]*log[ \t]/m.test(policy)
    ? { trust: { policy }, whose: 'the policy that was given' }
    : { trust: { verifierKey: await siteKey(), policy }, whose: 'the key of this site and the given policy' };
}

function tell(what: string, { ok, checks, uncovered }: Report, whose: string): void {
  const notes = notCommitted(uncovered).map((detail) => ({ id: 'uncovered', ok: true, detail }));
  showOne(
    { name: '', state: ok ? 'sound' : 'broken', text: what, checks: ok ? [...checks, ...notes] : checks },
    whose,
  );
}
