/**
 * Near-duplicates and contraries on labelled pairs, beside the peer of the quality table: two texts are one where
 * at least 0.55 of the smaller one's character trigrams are in the other. And what a check takes among 10 and
 * among 10,000 claims: mixed ones, and the worst case, all of one template; and the whole call that posts a claim.
 */
import { readFileSync } from 'node:fs';
import { compare } from '../src/domain/similarity/compare.ts';
import { SimilarityIndex } from '../src/domain/similarity/similarity-index.ts';
import { trivialEdits } from '../test/unit/similarity/edits.ts';
import {
  manyClaims,
  ownPairs,
  scifactClaims,
  scifactPairs,
  tally,
  type Pair,
} from '../test/unit/similarity/pairs.ts';
import { posts } from './posts.ts';
import { median, skipped, type Row, type Settings } from './row.ts';

const peer = 'trigram containment at 0.55';

export async function run(settings: Settings): Promise<Row[]> {
  const sets = {
    'SciFact tuned on': scifactPairs('tuning'),
    'SciFact held out': scifactPairs('held out'),
    'own pairs written first': ownPairs('heldout.tsv'),
    'own pairs written last': ownPairs('late.tsv'),
  };
  return [
    ...Object.entries(sets).flatMap(([name, pairs]) => opposites(name, pairs)),
    ...Object.entries(sets).flatMap(([name, pairs]) => paraphrases(name, pairs)),
    trivial('own pairs, trivial edits', [
      ...sets['own pairs written first'],
      ...sets['own pairs written last'],
    ]),
    trivial('real claims, trivial edits', editedClaims()),
    ...questionPairs(),
    ...checks(),
    ...realChecks(),
    ...(await posts(settings)),
  ];
}

function opposites(name: string, pairs: readonly Pair[]): Row[] {
  const own = tally(pairs, 'opposite');
  const called = pairs.filter(({ label, a, b }) => label === 'opposite' && contains(a, b)).length;
  return [
    beside(
      `${name}: of ${own.pairs} opposites called duplicates`,
      own.kinds.duplicate,
      'pairs',
      called,
      '<= 0',
    ),
    beside(
      `${name}: of ${own.alike.pairs} opposites >= 0.6 named contrary`,
      own.alike.contrary / own.alike.pairs,
      'part',
      0,
      '>= 0.6',
    ),
  ];
}

/** Not held to anything: that a paraphrase passes costs little, that an opposite is refused costs a claim. */
function paraphrases(name: string, pairs: readonly Pair[]): Row[] {
  const own = tally(pairs, 'same');
  const called = pairs.filter(({ label, a, b }) => label === 'same' && contains(a, b)).length;
  return [
    beside(
      `${name}: of ${own.pairs} with the same verdict called duplicates`,
      own.kinds.duplicate,
      'pairs',
      called,
      '',
    ),
    beside(`${name}: of them called contrary`, own.kinds.contrary, 'pairs', 0, ''),
  ];
}

function trivial(name: string, pairs: readonly Pair[]): Row {
  const edited = pairs.filter(({ label }) => label === 'trivial');
  const own = tally(edited, 'trivial').kinds.duplicate / edited.length;
  const called = edited.filter(({ a, b }) => contains(a, b)).length / edited.length;
  return beside(`${name} called duplicates (${edited.length})`, own, 'part', called, '>= 0.97');
}

function editedClaims(): Pair[] {
  const edits = Object.values(trivialEdits);
  return scifactClaims()
    .map((a, n): Pair => ({
      label: 'trivial',
      a,
      b: (edits[n % edits.length] as (text: string) => string)(a),
    }))
    .filter(({ a, b }) => a !== b);
}

/** SemEval 2016 question pairs, where a copy is at hand: `score<TAB>question<TAB>question`, 4 and 5 mean the same. */
function questionPairs(): Row[] {
  const path = process.env['COLOPHON_STS_PAIRS'];
  const name = 'STS 2016 questions: called duplicates though rated below 4';
  if (path === undefined)
    return [skipped(name, 'COLOPHON_STS_PAIRS names no file; its licence asks for authors we cannot name')];
  const rated = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t') as [string, string, string]);
  const wrong = (called: (a: string, b: string) => boolean): number =>
    rated.filter(([score, a, b]) => Number(score) < 4 && called(a, b)).length;
  const right = rated.filter(
    ([score, a, b]) => Number(score) >= 4 && compare(a, b).kind === 'duplicate',
  ).length;
  const row = beside(
    name,
    wrong((a, b) => compare(a, b).kind === 'duplicate'),
    'pairs',
    wrong(contains),
    '<= 0',
  );
  return [{ ...row, note: `${right} rated 4 or 5 called duplicates` }];
}

function checks(): Row[] {
  const asked = scifactClaims().slice(0, 500);
  const template = (n: number): string =>
    `Server ${n} of the cluster answers requests within ${n % 97} milliseconds on average.`;
  const mixed = manyClaims(10_000);
  const alike = Array.from({ length: 10_000 }, (_, n) => template(n));
  return [
    building(mixed),
    check('a check among 10 claims', mixed.slice(0, 10), asked, '<= 2'),
    check('a check among 100 claims', mixed.slice(0, 100), asked, ''),
    check('a check among 1,000 claims', mixed.slice(0, 1000), asked, ''),
    check('a check among 10,000 claims', mixed, asked, '<= 2'),
    firstCheck('a check among 10,000 claims of which none was met before', mixed, asked),
    check(
      'a check among 10,000 claims of one template',
      alike,
      asked.map((_, n) => template(n * 31 + 5)),
      '',
    ),
  ];
}

/** Among texts that people wrote and that share no halves, where a file of them is at hand, one a line. */
function realChecks(): Row[] {
  const path = process.env['COLOPHON_CLAIM_TEXTS'];
  const name = 'a check among 10 and 10,000 real sentences';
  if (path === undefined) return [skipped(name, 'COLOPHON_CLAIM_TEXTS names no file')];
  const texts = readFileSync(path, 'utf8').trimEnd().split('\n');
  if (texts.length < 10_100) return [skipped(name, `${path} has fewer than 10,100 lines`)];
  const asked = texts.slice(10_000, 10_500);
  return [10, 100, 1000, 10_000].map((count) =>
    check(`a check among ${count.toLocaleString('en')} real sentences`, texts.slice(0, count), asked, ''),
  );
}

function building(texts: readonly string[]): Row {
  const times = Array.from({ length: 5 }, () =>
    timed(() => void new SimilarityIndex(texts.map((text, n) => [n, text]))),
  );
  return alone('building the index of 10,000 claims', median(times), '');
}

/** Mean of all: the clock of CPU time is too coarse for one. */
function check(name: string, texts: readonly string[], asked: readonly string[], reach: string): Row {
  const index = new SimilarityIndex(texts.map((text, n) => [n, text]));
  const all = (): void => asked.forEach((text) => void index.find(text));
  all();
  return alone(name, median(Array.from({ length: 5 }, () => timed(all))) / asked.length, reach);
}

/** An index reads the words of a claim when something like it is met first, and keeps them. */
function firstCheck(name: string, texts: readonly string[], asked: readonly string[]): Row {
  const times = Array.from({ length: 5 }, () => {
    const index = new SimilarityIndex(texts.map((text, n) => [n, text]));
    return timed(() => asked.forEach((text) => void index.find(text)));
  });
  return alone(name, median(times) / asked.length, '');
}

/** Milliseconds of this thread's CPU: a check waits for nothing, so that only other work on the machine adds to them. */
function timed(work: () => void): number {
  const start = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

function contains(a: string, b: string): boolean {
  const [first, second] = [characterTrigrams(a), characterTrigrams(b)];
  const smaller = Math.min(first.size, second.size);
  return smaller > 0 && first.intersection(second).size / smaller >= 0.55;
}

function characterTrigrams(text: string): Set<string> {
  const characters = [...text.toLowerCase()];
  return new Set(characters.slice(2).map((_, i) => characters.slice(i, i + 3).join('')));
}

/** Judged by its own figure, with the peer's beside it. */
function beside(name: string, value: number, unit: string, peerValue: number, reach: string): Row {
  return { name, value, unit, peer, peerValue, ratio: null, reach };
}

function alone(name: string, milliseconds: number, reach: string): Row {
  return { name, value: milliseconds, unit: 'ms', peer: '–', peerValue: null, ratio: null, reach };
}
