/** What an import would write (contract §8): links, images, block ids and metadata of notes, from files of strangers. */
import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { readFrontMatter } from '../../../src/represent/intake/front-matter.ts';
import { planNotes, resolveBlocks, type PlanOptions } from '../../../src/represent/intake/plan-notes.ts';
import { readZip, safePath } from '../../../src/represent/intake/read-zip.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { png } from '../../support/images.ts';

const picture = png(3, 2);
const blob = `/blobs/${sha256Hex(picture)}`;
const options: PlanOptions = { base: 'https://ledger.example', status: 'draft', slugOf: 'file' };

function plan(files: Readonly<Record<string, string | Uint8Array>>, more: Partial<PlanOptions> = {}) {
  const list = Object.entries(files).map(([path, content]) => ({
    path,
    bytes: typeof content === 'string' ? Buffer.from(content) : content,
  }));
  const { articles, ...rest } = planNotes({ files: list, skipped: [] }, { ...options, ...more });
  return { ...rest, articles: resolveBlocks(articles, (_, block) => `d${block + 1}`) };
}

/** The text that one note becomes beside others. */
function textOf(note: string, others: Readonly<Record<string, string | Uint8Array>> = {}) {
  const { articles } = plan({ 'One.md': note, ...others });
  const one = articles.find(({ path }) => path === 'One.md');
  return { text: one?.markdown, problems: one?.problems };
}

describe('a note', () => {
  const other = {
    'sub/Bee dance.md': '# Bee dance\n\n## The *figure* eight\n\nIt turns. ^turn\n\n- a\n- b\n\n^list\n',
  };
  it.each([
    ['[[Bee dance]]', '[Bee dance](/a/bee-dance)'],
    ['[[bee DANCE|How they dance]]', '[How they dance](/a/bee-dance)'],
    ['[[sub/Bee dance]]', '[sub/Bee dance](/a/bee-dance)'],
    ['[[Bee dance#The figure eight]]', '[Bee dance › The figure eight](/a/bee-dance#h-the-figure-eight)'],
    ['[[Bee dance#Bee dance#The figure eight|eight]]', '[eight](/a/bee-dance#h-the-figure-eight)'],
    ['[[Bee dance#^turn]]', '[Bee dance](/a/bee-dance#d3)'],
    ['> [!note] Not *all* bees\n> Most.', '> **Not *all* bees**\n>\n> Most.'],
    ['> [!WARNING]-\n> Sting.', '> **Warning**\n>\n> Sting.'],
    ['> > [!tip] T\n> > x', '> > **T**\n> >\n> > x'],
    [
      'A ==bright [[Bee dance]]== day, a == b == c',
      'A <mark>bright [Bee dance](/a/bee-dance)</mark> day, a == b == c',
    ],
    ['`==x==` and ```> [!note]```', '`==x==` and ```> [!note]```'],
    ['[[Bee dance#^list|the list]]', '[the list](/a/bee-dance#d4)'],
    ['[them](sub/Bee%20dance.md)', '[them](/a/bee-dance)'],
    ['[them](<sub/Bee dance.md#The figure eight>)', '[them](/a/bee-dance#h-the-figure-eight)'],
    ['| a |\n|---|\n| [[Bee dance\\|x]] |', '| a |\n|---|\n| [x](/a/bee-dance) |'],
    ['`[[Bee dance]]`', '`[[Bee dance]]`'],
    ['```\n[[Bee dance]] %%kept%% ^id\n```', '```\n[[Bee dance]] %%kept%% ^id\n```'],
    ['    [[Bee dance]]', '    [[Bee dance]]'],
    ['Seen %%not\n\nshown%% here', 'Seen  here'],
    ['[a site](https://example.org/x.md)', '[a site](https://example.org/x.md)'],
  ])('with %j reads %j', (note, expected) => {
    expect(textOf(`Text.\n\n${note}\n`, other).text).toBe(`Text.\n\n${expected}\n`);
  });

  it.each([
    ['[[Nobody]]', 'Nobody', '“Nobody” is not among the files'],
    ['[[Nobody|them]]', 'them', '“Nobody” is not among the files'],
    ['![[paper.pdf]]', 'paper.pdf', '“paper.pdf” is neither a note nor an image'],
    ['![[Bee dance]]', '[Bee dance](/a/bee-dance)', 'is linked and not shown inside this one'],
    ['[[Bee dance#No such]]', '[Bee dance › No such](/a/bee-dance)', 'has no heading “No such”'],
    ['[[Bee dance#^none]]', '[Bee dance](/a/bee-dance#)', 'no block ^none'],
    ['%%mine%%', '', '1 comment (%%) left out'],
    ['![x](missing.png)', '![x](missing.png)', 'The image missing.png is not among the files'],
  ])('with %j says what was not taken over', (note, expected, problem) => {
    const { text, problems } = textOf(`Text.\n\n${note}\n`, { ...other, 'paper.pdf': 'x' });
    expect(text?.trimEnd()).toBe(`Text.\n\n${expected}`.trimEnd());
    expect(problems?.join('\n')).toContain(problem);
  });

  it.each([
    ['![[pic.png]]', `![pic](${blob})`],
    ['![[img/pic.png|300]]', `<img src="${blob}" alt="pic" width="300">`],
    ['![[img/pic.png|300x20]]', `<img src="${blob}" alt="pic" width="300" height="20">`],
    ['![[pic.png|A dance]]', `![A dance](${blob})`],
    ['![A dance](img/pic.png)', `![A dance](${blob})`],
    ['![A dance](./img/pic.png "T")', `![A dance](${blob} "T")`],
    ['![A][p]\n\n[p]: img/pic.png', `![A][p]\n\n[p]: ${blob}`],
    ['<img src="img/pic.png">', `<img src="${blob}">`],
  ])('shows an image of the folder, %j', (note, expected) => {
    const files = { 'One.md': note, 'img/pic.png': picture };
    const { articles, images } = plan(files);
    expect(articles[0]?.markdown).toBe(`${expected}\n`);
    expect(images.map(({ path, sha256 }) => [path, sha256])).toEqual([['img/pic.png', sha256Hex(picture)]]);
  });

  it('links a heading and a block of its own, and drops the block id', () => {
    const { text } = textOf('# A\n\nOne ^x\n\n[[#A]] and [[#^x]] in [[One]]\n');
    expect(text).toBe('# A\n\nOne\n\n[A](#a) and [x](#d2) in [One](/a/one)\n');
  });

  it('takes metadata from front matter and keeps it out of the text', () => {
    const note =
      '---\ntitle: "Bees: a study"\nslug: on-bees\ntags: [insects, "#dance"]\naliases:\n  - Apis\nstatus: published\nother: 1\n---\n\nText.\n';
    const [article] = plan({ 'x.md': note }).articles;
    expect(article).toMatchObject({
      title: 'Bees: a study',
      slug: 'on-bees',
      tags: ['insects', 'dance'],
      aliases: ['Apis'],
      status: 'published',
      markdown: 'Text.\n',
    });
  });

  it('takes tags of the text, nested ones too, dates, and names the properties that it left out', () => {
    const note =
      '---\ntags: a/b\ncreated: 2026-03-01\nupdated: 2026-03-02 10:00\nrating: 5\n---\n\nSeen #insects/bees, #a/b and `#code`, #12, x#y. [h](#part)\n\n## #Heading\n';
    const [article] = plan({ 'x.md': note }).articles;
    expect(article).toMatchObject({
      tags: ['a/b', 'insects/bees', 'Heading'],
      dates: { created: '2026-03-01', modified: '2026-03-02T10:00' },
      problems: ['Properties that an article does not have were left out: rating.'],
    });
    const [document] = plan({ 'x.md': note }, { slugOf: 'title' }).articles;
    expect(document?.tags).toEqual(['a/b']);
    expect(plan({ 'x.md': '---\ndate: soon\n---\n\nx' }).articles[0]?.problems).toEqual([
      'The date "soon" is no date such as 2026-11-23.',
    ]);
  });

  it('finds the file in the same case first', () => {
    const files = { 'Bees.md': 'Upper.', 'bees.md': 'Lower. [[Bees]] [[bees]]', 'One.md': '[[bees]]' };
    const found = plan(files).articles;
    expect(found.map(({ slug }) => slug)).toEqual(['bees', 'one', 'bees-2']);
    expect(found.map(({ markdown }) => markdown).slice(1)).toEqual([
      '[bees](/a/bees-2)\n',
      'Lower. [Bees](/a/bees) [bees](/a/bees-2)\n',
    ]);
  });

  it('with very many broken links names the first', () => {
    const note = Array.from({ length: 900 }, (_, i) => `[[n${i}]]`).join(' ');
    const problems = textOf(note).problems ?? [];
    expect([problems.length, problems.at(-1)]).toEqual([51, '850 more of this kind.']);
  });

  it.each([
    ['---\nstatus: draft\n---\n', 'draft'],
    ['---\npublish: true\n---\n', 'published'],
    ['---\ndraft: true\n---\n', 'draft'],
    ['', 'published'],
  ])('with %j is %s', (front, status) => {
    const [article] = plan({ 'x.md': `${front}Text.\n` }, { status: 'published' }).articles;
    expect(article?.status).toBe(status);
  });

  it.each([
    ['# First\n\nText.\n', 'First', 'a-file', 'first'],
    ['Text.\n\n# Later\n', 'A file', 'a-file', 'a-file'],
    ['---\ntitle: Other\n---\n\n# First\n', 'Other', 'a-file', 'other'],
    ['## Section\n\nText.\n', 'A file', 'a-file', 'section'],
  ])('%j is called %s, at %s as a note and at %s as a document', (text, title, file, document) => {
    const found = plan({ 'A file.md': text }).articles[0];
    expect([found?.title, found?.slug]).toEqual([title, file]);
    expect(plan({ 'A file.md': text }, { slugOf: 'title' }).articles[0]?.slug).toBe(document);
  });

  it('is the same file whatever the status is that it would be made with', () => {
    const [draft] = plan({ 'x.md': 'Text.' }).articles;
    const [published] = plan({ 'x.md': 'Text.' }, { status: 'published' }).articles;
    expect(published?.file_sha256).toBe(draft?.file_sha256);
    expect(plan({ 'x.md': 'Text. More.' }).articles[0]?.file_sha256).not.toBe(draft?.file_sha256);
  });

  it('keeps the address of an earlier import, and gives two files of one name two', () => {
    const files = { 'a/Note.md': 'One.', 'b/Note.md': 'Two.', 'c/Note.md': 'Three.' };
    const slugs = new Map([['c/Note.md', 'note']]);
    expect(plan(files, { slugs }).articles.map(({ slug }) => slug)).toEqual(['note-2', 'note-3', 'note']);
  });

  it.each([
    [Buffer.from([0xff, 0xfe, 0x41]), 'not valid UTF-8'],
    ['a\0b', 'NUL characters'],
    [' \n', 'It is empty'],
    ['---\ntitle: x\n---\n', 'front matter and no text'],
    [Buffer.alloc(2 * 1024 * 1024 + 1, 'a'), 'at most 2097152'],
  ])('that cannot be one is told: case %#', (content, why) => {
    const { articles, skipped } = plan({ 'x.md': content });
    expect([articles, skipped[0]?.why]).toEqual([[], expect.stringContaining(why)]);
  });

  it('leaves hidden folders alone, and tells other files and images that nothing shows', () => {
    const { articles, skipped, images } = plan({
      '.obsidian/app.json': '{}',
      'a.md': 'Text.',
      'paper.pdf': 'x',
      'drawing.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'unused.png': picture,
    });
    expect([articles.length, images]).toEqual([1, []]);
    expect(skipped).toEqual([
      { path: 'drawing.svg', why: expect.stringContaining('SVG is a document') },
      { path: 'paper.pdf', why: 'It is neither a note nor an image.' },
      { path: 'unused.png', why: 'No note shows this image.' },
    ]);
  });

  it('of any text is planned, and never links outside', () => {
    const part = fc.constantFrom(
      '[[',
      ']]',
      '![[',
      '|',
      '#',
      '^',
      'Bee dance',
      '%%',
      '`',
      '```',
      '\n',
      '](',
      ')',
      ' ',
      'x',
      '../',
      '---\n',
      'a: ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (parts) => {
        const { text } = textOf(parts.join(''), other);
        expect(text === undefined || !text.includes('\uE001')).toBe(true);
        expect(text ?? '').not.toContain('\uE000');
      }),
      { numRuns: 200 },
    );
  });
});

describe('front matter', () => {
  it.each([
    ['a: &x [1]\nb: *x', 'anchors or aliases'],
    [`a: ${'['.repeat(40)}${']'.repeat(40)}`, 'nests too deeply'],
    ['a: [', 'it is no YAML'],
    [`a: ${'x'.repeat(70_000)}`, 'longer than 65536'],
  ])('%# stays in the text where it cannot be read', (yaml, why) => {
    const read = readFrontMatter(`---\n${yaml}\n---\n\nText.\n`);
    expect(read.body).toContain('Text.');
    expect(read.body).toContain('---');
    expect(read.problems.join('')).toContain(why);
  });

  it('reads no tags of YAML and no prototype', () => {
    const read = readFrontMatter(
      '---\ntitle: !!js/function "x"\n__proto__: {a: 1}\ntags: a, b\n---\n\nText.\n',
    );
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
    expect(read.tags).toEqual(['a', 'b']);
  });

  it('of any text is read or left', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (yaml) => {
        const text = `---\n${yaml}\n---\n\nText.\n`;
        expect(readFrontMatter(text).body.endsWith('Text.\n')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an archive', () => {
  it.each(['../x.md', '/etc/passwd', 'C:\\x.md', 'a/../../x.md', 'a\\..\\x.md', 'a\0.md', ''])(
    'refuses the name %j',
    (path) => {
      expect(safePath(path)).toBeUndefined();
    },
  );

  it('is read within its folder', () => {
    const zip = zipSync({
      'a/b.md': strToU8('Text.'),
      '../x.md': strToU8('No.'),
      '.obsidian/x': strToU8('{}'),
    });
    expect(readZip(zip)).toEqual({
      files: [{ path: 'a/b.md', bytes: strToU8('Text.') }],
      skipped: [{ path: '../x.md', why: 'Its name leads out of the folder.' }],
    });
  });

  it('reads names that are UTF-8 without saying so, and refuses links and twins', () => {
    const zip = Buffer.from(zipSync({ 'Über.md': strToU8('A.'), 'l.md': strToU8('../../etc/passwd') }));
    for (const [mark, at] of [
      ['PK\u0003\u0004', 6],
      ['PK\u0001\u0002', 8],
    ] as const)
      for (let i = zip.indexOf(mark, 0, 'latin1'); i >= 0; i = zip.indexOf(mark, i + 1, 'latin1'))
        zip.writeUInt16LE(zip.readUInt16LE(i + at) & ~0x800, i + at);
    const link = zip.lastIndexOf('PK\u0001\u0002', zip.length, 'latin1');
    zip.writeUInt8(3, link + 5);
    zip.writeUInt32LE((0o120777 << 16) >>> 0, link + 38);
    expect(readZip(zip)).toEqual({
      files: [{ path: 'Über.md', bytes: strToU8('A.') }],
      skipped: [{ path: 'l.md', why: 'It is a link to elsewhere, which is not followed.' }],
    });
  });

  it('with very many refused names is told in a bounded list', () => {
    const names = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`../${i}.md`, strToU8('x')]));
    const read = readZip(zipSync({ ...names, 'a.md': strToU8('Text.') }));
    const { skipped, articles } = isFault(read)
      ? { skipped: [], articles: [] }
      : planNotes(read, { base: 'https://ledger.example', status: 'draft', slugOf: 'file' });
    expect([articles.length, skipped.length, skipped.at(-1)?.path]).toEqual([1, 201, '2800 more files']);
  });

  it('that unpacks to too much is refused before it is unpacked', () => {
    const zeros = new Uint8Array(8 * 1024 * 1024);
    const bomb = zipSync(Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`${i}.md`, zeros])));
    expect(bomb.length).toBeLessThan(1_000_000);
    const read = readZip(bomb);
    expect(isFault(read) && read.message).toContain('134217728 bytes unpacked');
    const large = readZip(zipSync({ 'a.md': new Uint8Array(8 * 1024 * 1024 + 1) }));
    expect(isFault(large) ? [] : large.skipped[0]?.why).toContain('at most 8388608');
  });

  it('whose sizes lie is cut at what it says', () => {
    const zip = Buffer.from(zipSync({ 'a.md': strToU8('x'.repeat(5000)) }));
    const central = zip.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1'));
    zip.writeUInt32LE(10, central + 24);
    const read = readZip(zip);
    const lengths = isFault(read) ? [] : read.files.map(({ bytes }) => bytes.length);
    expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(10);
  });

  it('of any bytes is answered', () => {
    const zip = Buffer.from(zipSync({ 'a.md': strToU8('Text.'), 'b/c.md': strToU8('More.') }));
    fc.assert(
      fc.property(fc.nat(zip.length - 1), fc.uint8Array({ minLength: 1, maxLength: 8 }), (at, bytes) => {
        const broken = Buffer.from(zip);
        broken.set(bytes.subarray(0, broken.length - at), at);
        const read = readZip(broken);
        if (!isFault(read)) for (const { path } of read.files) expect(safePath(path)).toBe(path);
      }),
      { numRuns: 300 },
    );
  });
});
