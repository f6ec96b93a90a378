/**
 * Compares an article document or bundle with its chains (contract §5, §6): article, claims, sources, contributions and
 * questions must be exactly what the chains record.
 */
import { isScrubChain } from './same-article.ts';
import type { Link } from './chain.ts';
import { checkMembers, Coverage } from './coverage.ts';
import { chainOf, checkPlaces, checkVoxels, statusAfter } from './divs.ts';
import { historyOf, recordsIn, type Change, type Decision, type History } from './history.ts';
import { isRecord, type Json, type JsonRecord } from './json.ts';
import { checkQuestions } from './questions.ts';
import { failed, passed, type Check } from './report.ts';
import { currentValue, type Scrubs } from './scrubs.ts';

/** A bundle; an article as its own read gives it; anything else, such as one of its parts. */
export type DocumentKind = 'bundle' | 'article' | 'other';

export function kindOf(document: Json): DocumentKind {
  if (!isRecord(document)) return 'other';
  if (document['bundle_version'] !== undefined || document['chains'] !== undefined) return 'bundle';
  const shows = (...names: readonly string[]): boolean => names.some((name) => document[name] !== undefined);
  return shows('body', 'content_hash') && shows('provenance', 'machine', 'object', 'energy')
    ? 'article'
    : 'other';
}

export async function checkArticle(
  document: JsonRecord,
  kind: DocumentKind,
  links: readonly Link[],
  scrubs: Scrubs,
  coverage: Coverage,
): Promise<Check[]> {
  const chains = isRecord(document['chains']) ? document['chains'] : undefined;
  const history = historyIn(document, chains);
  const isScrubbed = recordsIn(document['provenance']).some(({ content }) => content === 'scrubbed');
  // The provenance relies on replacements where it shows any.
  const provenanceCoverage = isScrubbed && !scrubs.areLogged ? new Coverage() : coverage;
  const checks = [...checkShape(document, kind, chains)];
  checks.push(
    ...(await checkText(document, kind, chains, links, history, scrubs, coverage, provenanceCoverage)),
  );
  checks.push(...checkLists(document, chains, links, history, provenanceCoverage));
  if (chains !== undefined) coverEnds(chains, history, coverage);
  if (chains !== undefined) checks.push(...checkQuestions(document['question_graph'], chains, coverage));
  if (isRecord(document['counts'])) checks.push(...checkCounts(document, document['counts'], coverage));
  if (history !== undefined && kind !== 'other') {
    const wrong = [
      ...checkHead(document, kind, history, provenanceCoverage),
      ...checkClaims(document, history, provenanceCoverage),
      ...checkSources(document, kind, history, provenanceCoverage),
      ...checkContributions(document, history, provenanceCoverage),
      ...checkDiscourse(document, history, provenanceCoverage),
      ...(kind === 'bundle' ? checkTextChanged(document, history, provenanceCoverage) : []),
      ...(chains !== undefined || kind === 'article' ? checkEnds(links, history) : []),
    ];
    checks.push(...wrong);
    if (wrong.length === 0)
      checks.push(passed('article', 'the article and its claims are what the provenance says'));
  }
  return checks;
}

/** No chain ends before its last entry in the provenance, and the provenance not before the last of theirs. */
function checkEnds(links: readonly Link[], { aid, entries, touched }: History): Check[] {
  const calls = new Set(entries.map(({ inv }) => inv));
  const times = new Map<string, number>();
  const count = (of: string, by: number): number => {
    const now = (times.get(of) ?? 0) + by;
    times.set(of, now);
    return now;
  };
  const seen = new Set<Json | undefined>();
  const untold: Check[] = [];
  for (const { entry, hash, at } of links) {
    const chain = String(entry['chain']);
    const of = chain.slice(aid.length + 1);
    if (!chain.startsWith(`${aid}.`) || !isRepresented(of) || seen.has(hash)) continue;
    seen.add(hash);
    count(JSON.stringify([of, entry['inv']]), 1);
    if (!calls.has(entry['inv']))
      untold.push(
        failed('chain', `the provenance does not tell of entry ${String(entry['n'])} of ${of}`, at),
      );
  }
  const cut = touched.filter(({ id, inv }) => count(JSON.stringify([id, inv]), -1) < 0);
  return [
    ...untold,
    ...cut.map(({ id, inv }) =>
      failed('chain', `the provenance names an entry of ${id} that is missing, by ${String(inv)}`),
    ),
  ];
}

/** Whether the provenance has an entry for each that such a chain has. */
function isRepresented(of: string): boolean {
  return /^(?:d\d+|sources)$/.test(of);
}

/**
 * Only chains that the provenance names cannot have been cut by themselves; a scrub that is left out leaves a
 * replacement. Without its newest changes an article is what it was before them.
 */
function coverEnds(chains: JsonRecord, history: History | undefined, coverage: Coverage): void {
  for (const [name, items] of Object.entries(chains)) {
    const of = partOf(name);
    const isKnown = isRepresented(of) ? history?.isWhole === true : isScrubChain(name);
    if (isKnown && Array.isArray(items)) coverage.list(items as readonly Json[]);
  }
}

/** The provenance as the chains of a bundle have it, which alone are in the log, or as any other document lists it. */
function historyIn(document: JsonRecord, chains: JsonRecord | undefined): History | undefined {
  if (chains === undefined) {
    const listed = recordsIn(document['provenance']).flatMap((item): Change[] => {
      const { entry } = item;
      if (!isRecord(entry)) return [];
      const isShown = item['content'] === 'present' || item['content'] === 'scrubbed';
      return [{ entry, content: isShown && isRecord(item['change']) ? item : undefined }];
    });
    return historyOf(listed.toSorted((a, b) => Number(a.entry['n']) - Number(b.entry['n'])));
  }
  const own = recordsIn(Object.entries(chains).find(([name]) => name.endsWith('.provenance'))?.[1]);
  return historyOf(
    own.map(({ entry, contents }) => {
      const content = isRecord(contents) ? currentValue(contents['content_sha']) : undefined;
      return { entry: isRecord(entry) ? entry : {}, content: isRecord(content) ? content : undefined };
    }),
  );
}

/** A document that leaves its evidence out is none of its kind. */
function checkShape(document: JsonRecord, kind: DocumentKind, chains: JsonRecord | undefined): Check[] {
  const absent = (name: string): Check[] =>
    document[name] === undefined ? [failed('document', `${name} is left out`, name)] : [];
  const unlisted = (name: string): Check[] =>
    Array.isArray(document[name]) ? [] : [failed('document', `${name} is no list`, name)];
  const lists = ['claims', 'sources', 'contributions'];
  if (kind === 'article')
    return [
      ...['body', 'content_hash', 'object', 'machine', 'verification'].flatMap(absent),
      ...[...lists, 'provenance', 'divs', 'scrubs'].flatMap(unlisted),
    ];
  if (kind !== 'bundle') return [];
  const { origin, voxels } = document;
  const isSlim = chains === undefined && isRecord(voxels) && voxels['divs'] === undefined;
  return [
    ...(document['bundle_version'] === 1 ? [] : [failed('document', 'the bundle is not of version 1')]),
    ...['body', 'content_hash', 'voxels', 'provenance', 'counts', 'verification'].flatMap(absent),
    ...[...lists, 'discourse'].flatMap(unlisted),
    ...(isSlim ? [] : ['chains', 'origin', 'lead', 'question_graph'].flatMap(absent)),
    ...(isSlim ? [] : ['voxels', 'provenance'].flatMap(unlisted)),
    ...['log', 'verifier_key']
      .filter((name) => !isRecord(origin) || origin[name] === undefined)
      .map((name) => failed('document', `${name} of origin is left out`, 'origin')),
  ];
}

async function checkText(
  document: JsonRecord,
  kind: DocumentKind,
  chains: JsonRecord | undefined,
  links: readonly Link[],
  history: History | undefined,
  scrubs: Scrubs,
  coverage: Coverage,
  provenanceCoverage: Coverage,
): Promise<Check[]> {
  const lengths = new Map<string, number>();
  const chainOfEach = new Map(links.map(({ entry, hash }) => [hash, String(entry['chain'])]));
  for (const id of [...chainOfEach.values()].map(partOf)) lengths.set(id, (lengths.get(id) ?? 0) + 1);
  const expected = expectedDivs(chains, history, document);
  const evidence = { history, scrubs, lengths, expected, coverage, provenanceCoverage };
  const { voxels, divs, body } = document;
  const lead = history?.article['lead'];
  const holders = [document, voxels].filter(isRecord).filter((holder) => holder['lead'] !== undefined);
  const leads = holders.map((holder) => holder['lead']);
  const what = { id: 'article', name: '', at: 'lead' };
  const checks =
    typeof lead === 'string'
      ? holders.flatMap((holder) => checkMembers(holder, { lead }, what, provenanceCoverage))
      : new Set(leads).size > 1
        ? [failed('article', 'lead is shown otherwise in one place than in the other', 'lead')]
        : [];
  const isPart = kind === 'other' && Array.isArray(divs) && typeof document['lead'] === 'string';
  const list = isRecord(voxels) ? voxels['divs'] : Array.isArray(voxels) ? voxels : isPart ? divs : undefined;
  if (Array.isArray(list)) {
    const at = isRecord(voxels) ? 'voxels.divs' : isPart ? 'divs' : 'voxels';
    const found = checkVoxels(list as readonly Json[], at, evidence);
    checks.push(...found.checks);
    if (typeof body === 'string' && found.joined !== undefined) {
      const isBody = `${String(lead ?? leads[0] ?? '')}${found.joined}` === body;
      checks.push(
        isBody
          ? passed('body', 'the DIVs join to the body', 'body')
          : failed('body', 'the DIVs do not join to the body', 'body'),
      );
      if (history?.isWhole === true) provenanceCoverage.members(document, 'body', 'content_hash');
    }
  }
  if (kind === 'article' && Array.isArray(divs) && typeof body === 'string')
    checks.push(...(await checkPlaces(document, divs as readonly Json[], evidence)));
  else if (kind === 'article' && !Array.isArray(list))
    checks.push(failed('body', 'no entry commits to the body: the document lists no DIVs', 'body'));
  const replaced = [...recordsIn(list), ...recordsIn(divs)].filter(
    (item) => item['scrubbed_by'] !== undefined,
  );
  if (replaced.length > 0 && !scrubs.areLogged) {
    for (const item of replaced) coverage.forget(item, 'text', 'vx_hash', 'start', 'end', 'scrubbed_by');
    coverage.forget(document, 'body', 'content_hash');
  }
  return checks;
}

/** What a chain holds of its article; a DIV's id. */
function partOf(chain: string): string {
  return chain.slice(chain.lastIndexOf('.') + 1);
}

/** DIVs that the document must list: a bundle has the chain of each, and the provenance names each that was made. */
function expectedDivs(
  chains: JsonRecord | undefined,
  history: History | undefined,
  document: JsonRecord,
): { readonly current: ReadonlySet<string>; readonly all: ReadonlySet<string> } | undefined {
  if (chains !== undefined) {
    const own = Object.entries(chains).flatMap(([name, items]) => {
      const id = partOf(name);
      return name === `${history?.aid ?? ''}.${id}` && /^d\d+$/.test(id)
        ? [
            {
              id,
              status: statusAfter(
                recordsIn(items)
                  .map(({ entry }) => entry)
                  .filter(isRecord),
              ),
            },
          ]
        : [];
    });
    const isAll = history?.isWhole === true;
    return {
      current: new Set(own.filter(({ status }) => isAll || status === 'current').map(({ id }) => id)),
      all: new Set(own.map(({ id }) => id)),
    };
  }
  if (history?.isWhole !== true) return undefined;
  const all = new Set(history.layouts.keys());
  // A list of DIVs by itself may leave out those that left the article; the document's own evidence has all.
  const ended = new Set(
    [
      ...recordsIn(document['divs']),
      ...recordsIn(isRecord(document['voxels']) ? document['voxels']['divs'] : null),
    ]
      .filter((item) => statusAfter(chainOf(item)) !== 'current')
      .map((item) => String(item['div_id'])),
  );
  return {
    current: Array.isArray(document['divs']) ? all : new Set([...all].filter((id) => !ended.has(id))),
    all,
  };
}

function checkHead(
  document: JsonRecord,
  kind: DocumentKind,
  { article, entries, isWhole, energy, aid }: History,
  coverage: Coverage,
): Check[] {
  const { lead: _lead, meta, created_at, updated_at, posted_at, ...head } = article;
  const what = { id: 'article', name: '', at: '' };
  const check = (object: Json | undefined, expected: JsonRecord): Check[] =>
    checkMembers(isRecord(object) ? object : {}, expected, what, coverage);
  if (kind === 'bundle') return check(document, { ...head, ...(meta === undefined ? {} : { meta }) });
  const { version, slug, title } = head;
  const identity = isRecord(document['object']) ? document['object']['identity'] : undefined;
  const machine = isRecord(document['machine']) ? document['machine'] : {};
  const shown = Object.fromEntries(
    Object.entries({ created_at, updated_at, posted_at }).filter(([, value]) => value !== undefined),
  ) as JsonRecord;
  const stated = (of: JsonRecord): JsonRecord =>
    Object.fromEntries(Object.entries(of).filter(([, value]) => (value as Json | undefined) !== undefined));
  return [
    ...check(
      document,
      stated({ ...head, ...shown, revisions: version, ...(isRecord(meta) ? meta : {}) } as JsonRecord),
    ),
    ...(isWhole
      ? checkMembers(document, { energy: { ...energy, head: String(lastHash(document)) } }, what, coverage)
      : []),
    ...check(identity, stated({ id: aid, slug, title } as JsonRecord)),
    ...check(
      machine,
      stated({ slug, standard: isRecord(meta) ? meta['register'] : undefined } as JsonRecord),
    ),
    ...checkLedgerCounts(document, machine['ledger'], coverage),
    ...(entries.length === 0 ? [failed('article', 'the provenance has no entry')] : []),
  ];
}

/** How many claims, sources, DIVs and provenance entries the article says that it has. */
function checkLedgerCounts(document: JsonRecord, ledger: Json | undefined, coverage: Coverage): Check[] {
  if (!isRecord(ledger)) return [failed('counts', 'ledger of machine is left out', 'machine')];
  const current = recordsIn(document['divs']).filter((item) => statusAfter(chainOf(item)) === 'current');
  const lists = {
    claims: document['claims'],
    sources: document['sources'],
    provenance: document['provenance'],
    voxels: current,
  };
  return Object.entries(lists).flatMap(([name, list]) => {
    const counted = ledger[name];
    const what = { id: 'counts', name, at: 'machine.ledger', by: 'the document' };
    return isRecord(counted)
      ? checkMembers(counted, { count: Array.isArray(list) ? list.length : undefined }, what, coverage)
      : [failed('counts', `${name} is left out`, 'machine.ledger')];
  });
}

function lastHash(document: JsonRecord): Json | undefined {
  return recordsIn(document['provenance'])
    .toSorted((a, b) => nOf(a) - nOf(b))
    .at(-1)?.['hash'];
}

function nOf({ entry }: JsonRecord): number {
  return isRecord(entry) ? Number(entry['n']) : -1;
}

/** The claims that the provenance has, as their newest words have them, in their order. */
function checkClaims(document: JsonRecord, { claims, isWhole }: History, coverage: Coverage): Check[] {
  const { claims: shown } = document;
  if (!Array.isArray(shown)) return [failed('claim', 'the claims are left out', 'claims')];
  const listed = recordsIn(shown as readonly Json[]);
  const ids = listed.map((claim) => String(claim['id']));
  const checks = listed.flatMap((item, i) => {
    const id = String(item['id']);
    const known = claims.get(id);
    if (known === undefined)
      return isWhole ? [failed('claim', `no provenance has claim ${id}`, 'claims')] : [];
    const what = { id: 'claim', name: `claim ${id}`, at: 'claims' };
    const before = claims.get(ids[i - 1] ?? '');
    return [
      ...checkMembers(item, { ...known.claim, claim: `claim:${id}` }, what, coverage),
      ...(before !== undefined && before.n > known.n
        ? [failed('claim', `claim ${id} does not stand in its place`, 'claims')]
        : []),
    ];
  });
  const missing = [...claims.keys()].filter((id) => !ids.includes(id));
  if (isWhole) coverage.list(shown as readonly Json[]);
  return [
    ...checks,
    ...missing.map((id) => failed('claim', `claim ${id} is left out`, 'claims')),
    ...(new Set(ids).size === shown.length
      ? []
      : [failed('claim', 'a claim is listed twice, or is none', 'claims')]),
  ];
}

/** Which claims cite a source, and what the newest look at it found; the source itself is checked with its entry. */
function checkSources(
  document: JsonRecord,
  kind: DocumentKind,
  { links, isWhole, sourcesMade }: History,
  coverage: Coverage,
): Check[] {
  const shown = recordsIn(document['sources']);
  const claims = recordsIn(document['claims']);
  const checks = shown.flatMap((source) => {
    const id = String(source['id']);
    const citing = claims.flatMap((claim) =>
      Array.isArray(claim['source_ids'])
        ? (claim['source_ids'] as readonly Json[])
            .filter((each) => each === id)
            .map(() => claim['id'] ?? null)
        : [],
    );
    const link = kind !== 'article' || !isWhole ? {} : { link: links.get(id) ?? null };
    return checkMembers(
      source,
      { claim_ids: citing, ...link },
      { id: 'source', name: `source ${id}`, at: 'sources' },
      coverage,
    );
  });
  return isWhole && shown.length !== sourcesMade
    ? [
        ...checks,
        failed(
          'source',
          `${shown.length} sources are listed, the provenance names ${sourcesMade}`,
          'sources',
        ),
      ]
    : checks;
}

/** An entry of the provenance records the decision on each contribution. */
function checkContributions(document: JsonRecord, { decisions }: History, coverage: Coverage): Check[] {
  const what = { id: 'contribution', at: 'contributions', said: 'effect' } as const;
  return checkDecided(recordsIn(document['contributions']), decisions, what, coverage, (_, decision) =>
    decision === undefined ? 'proposed' : decision.entry['decision'],
  );
}

/** A post that asks for an answer is open until an entry of the provenance settles it. */
function checkDiscourse(document: JsonRecord, { settlements }: History, coverage: Coverage): Check[] {
  const { discourse } = document;
  // A page has the read of the thread beside its article, which shows none of it.
  const posts = isRecord(discourse) ? discourse['entries'] : discourse;
  if (!Array.isArray(posts)) return [];
  const what = { id: 'discourse', at: 'discourse', said: 'vote' } as const;
  return checkDecided(recordsIn(posts as readonly Json[]), settlements, what, coverage, (post, settlement) =>
    settlement === undefined && asksForAnswer.has(post['stance']) ? 'open' : 'settled',
  );
}

/** Whether the claim or the DIV that a post is about has another text by now, or none: a bundle lists them all. */
function checkTextChanged(document: JsonRecord, { isWhole }: History, coverage: Coverage): Check[] {
  const { voxels, discourse } = document;
  if (!isWhole || !Array.isArray(voxels) || !Array.isArray(discourse)) return [];
  const standing = new Map([
    ...recordsIn(voxels as readonly Json[])
      .filter(({ status }) => status === 'current')
      .map((div): [Json | undefined, Json | undefined] => [div['div_id'], div['vx_hash']]),
    ...recordsIn(document['claims'])
      .filter(({ status }) => status === 'active')
      .map((claim): [Json | undefined, Json | undefined] => [claim['id'], claim['hash']]),
  ]);
  return recordsIn(discourse as readonly Json[]).flatMap((post) => {
    const { id, target, target_hash: hash, text_changed: shown } = post;
    if (typeof target !== 'string' || hash === undefined) return [];
    const hasChanged = target !== '' && hash !== null && standing.get(target) !== hash;
    coverage.members(post, 'text_changed');
    if (shown === (hasChanged ? true : undefined)) return [];
    const is = hasChanged ? 'has another text by now' : 'has kept its text';
    return [
      failed('discourse', `what discourse ${String(id)} is about ${is}, and is shown otherwise`, 'discourse'),
    ];
  });
}

const asksForAnswer = new Set<Json | undefined>(['challenge', 'upgrade', 'objection']);

/** Listed objects show what the provenance decides on them, and nothing where it decides nothing. */
function checkDecided(
  listed: readonly JsonRecord[],
  decisions: ReadonlyMap<string, Decision>,
  { id: kind, at, said }: { readonly id: string; readonly at: string; readonly said: 'effect' | 'vote' },
  coverage: Coverage,
  statusOf: (item: JsonRecord, decision: Decision | undefined) => Json | undefined,
): Check[] {
  const known = new Set(listed.map(({ id }) => id));
  const missing = [...decisions.keys()].filter((id) => !known.has(id));
  const left = missing.map((id) => failed(kind, `${kind} ${id} was decided, and is left out`, at));
  const checks = listed.flatMap((item) => {
    const id = String(item['id']);
    const decision = decisions.get(id);
    const what = { id: kind, name: `${kind} ${id}`, at };
    const expected: Record<string, Json | undefined> = { status: statusOf(item, decision) };
    if (decision !== undefined) {
      const { entry, content } = decision;
      expected['decided_at'] = entry['ts'];
      expected['decided_by'] = entry['actor'];
      expected['resolution'] = entry['inv'] ?? '';
      if (content !== undefined) expected['note'] = content['note'];
      expected[said] = said === 'vote' ? entry['vote'] : content?.[said];
    }
    const stray = ['note', 'decided_at', 'decided_by', 'resolution', said].find(
      (name) =>
        item[name] !== undefined &&
        (decision === undefined || (name === 'vote' && expected[name] === undefined)),
    );
    return [
      ...checkMembers(item, expected, what, coverage),
      ...(stray === undefined
        ? []
        : [failed(kind, `no entry decides on ${kind} ${id}, which shows ${stray}`, at)]),
    ];
  });
  return [...left, ...checks];
}

/** Each list has one item for each entry of its chain that shows its content, in the order of the chain. */
function checkLists(
  document: JsonRecord,
  chains: JsonRecord | undefined,
  links: readonly Link[],
  history: History | undefined,
  coverage: Coverage,
): Check[] {
  const lists = {
    provenance: 'provenance',
    sources: 'sources',
    contributions: 'mirror',
    discourse: 'thread',
  };
  return Object.entries(lists).flatMap(([name, of]) => {
    const value = document[name];
    const isThread = of === 'thread';
    const items = isThread && isRecord(value) ? value['entries'] : value;
    if (!Array.isArray(items)) return [];
    const list = recordsIn(items as readonly Json[]);
    const places = list.map(nOf);
    const own = Object.entries(chains ?? {}).find(([chain]) => chain.endsWith(`.${of}`))?.[1];
    const shown = recordsIn(own).filter(
      ({ contents }) =>
        of === 'provenance' || (isRecord(contents) && currentValue(contents['content_sha']) !== undefined),
    );
    const inChain = new Set(
      links.filter(({ entry }) => String(entry['chain']).endsWith(`.${of}`)).map(({ hash }) => hash),
    );
    const expected = chains === undefined ? Math.max(inChain.size, places.length) : shown.length;
    const checks: Check[] = [];
    if (list.length < items.length) checks.push(failed(name, 'an item is no object', name));
    if (places.length !== expected || new Set(places).size !== places.length)
      checks.push(failed(name, `${places.length} items are listed, the chain has ${expected}`, name));
    if (list.some(({ entry }) => !isRecord(entry) || isOtherChain(String(entry['chain']), of)))
      checks.push(failed(name, 'an item is of another chain than the others', name));
    // The feed of the mirror has the newest first.
    const rising = document['by_status'] === undefined ? places : places.toReversed();
    if (!(isThread ? isThreadOrder(list) : rising.every((n, i) => i === 0 || n > (rising[i - 1] as number))))
      checks.push(failed(name, 'the items do not stand in the order of their chain', name));
    // Nothing proves which post or change is the newest; for sources a whole provenance does.
    if (of === 'sources' && history?.isWhole === true) coverage.list(items as readonly Json[]);
    return checks;
  });
}

/** Chains of an article bear its id, a dot, and what they hold. */
function isOtherChain(chain: string, of: string): boolean {
  return chain.includes('.') && !chain.endsWith(`.${of}`);
}

/** What still asks for an answer comes first, the newest first in either part. */
function isThreadOrder(list: readonly JsonRecord[]): boolean {
  const rank = (item: JsonRecord): number => (item['status'] === 'open' ? 0 : 1);
  return list.every((item, i) => {
    const before = list[i - 1];
    if (before === undefined) return true;
    return rank(before) === rank(item) ? nOf(before) > nOf(item) : rank(before) < rank(item);
  });
}

function checkCounts(document: JsonRecord, counts: JsonRecord, coverage: Coverage): Check[] {
  const lengthOf = (value: Json | undefined): number | undefined =>
    Array.isArray(value) ? value.length : undefined;
  const current = Array.isArray(document['voxels'])
    ? recordsIn(document['voxels']).filter(({ status }) => status === 'current').length
    : undefined;
  const names = ['claims', 'sources', 'provenance', 'contributions', 'discourse'];
  const expected = Object.fromEntries(names.map((name) => [name, lengthOf(document[name])]));
  return checkMembers(
    counts,
    { ...expected, divs: current },
    { id: 'counts', name: 'counts', at: 'counts', by: 'the document' },
    coverage,
  );
}

/** The `verification` of an article or a bundle counts the entries that it lists. */
export function checkTotals(document: JsonRecord, kind: DocumentKind, coverage: Coverage): Check[] {
  const { verification, chains } = document;
  if (!isRecord(verification) || verification['valid'] !== true || kind === 'other') return [];
  const lists = isRecord(chains)
    ? Object.values(chains)
    : [
        ...['provenance', 'sources', 'contributions'].map((name) => document[name]),
        ...recordsIn(document['divs']).map(({ chain }) => chain),
      ].filter((list) => recordsIn(list).length > 0);
  if (!isRecord(chains) && !Array.isArray(document['divs'])) return [];
  const entries = lists.reduce<number>((sum, list) => sum + recordsIn(list).length, 0);
  const what = { id: 'verification', name: 'verification', at: 'verification', by: 'the document' };
  return checkMembers(verification, { valid: true, entries, chains: lists.length }, what, coverage);
}
