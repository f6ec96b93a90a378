/** A comparison table as Markdown and as CSV (contract §7). Its words are strangers': none becomes markup or a formula. */
export interface TextTable {
  readonly title: string;
  readonly axes: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    /** Claim and address by axis; null for a cell that nothing fills yet. */
    readonly cells: readonly ({ readonly text: string; readonly url: string } | null)[];
  }[];
}

export function tableMarkdown({ title, axes, rows }: TextTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `# ${plain(title)}`,
    '',
    line(['target', ...axes.map(plain)]),
    line(['---', ...axes.map(() => '---')]),
    ...rows.map(({ name, cells }) =>
      line([
        plain(name),
        ...cells.map((cell) => (cell === null ? '' : `${plain(cell.text)} ([claim](${cell.url}))`)),
      ]),
    ),
    '',
  ].join('\n');
}

/** One line in which nothing is markup: the rest of CommonMark's marks count at the start of a line only. */
function plain(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`*_{}[\]<>|~&!]/g, '\\$&');
}

/** RFC 4180, with two columns an axis: what is claimed, and where. */
export function tableCsv({ axes, rows }: TextTable): string {
  const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;
  return [
    line(['target', ...axes.flatMap((axis) => [axis, `${axis} (claim)`])]),
    ...rows.map(({ name, cells }) =>
      line([name, ...cells.flatMap((cell) => (cell === null ? ['', ''] : [cell.text, cell.url]))]),
    ),
  ].join('');
}

/** A spreadsheet takes what begins so for a formula. */
function quoted(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${inert.replaceAll('"', '""')}"`;
}
