/**
 * The state of markdown-it's block parser, with tokens made at once. markdown-it defines each of a token's members
 * by itself, which took a quarter of the time that dividing takes; these have the same members, values and methods.
 */
import MarkdownIt, { type Token } from 'markdown-it';

const { State } = new MarkdownIt().block;
type Nesting = Token['nesting'];

class BlockToken {
  readonly type: string;
  tag: string;
  attrs = null;
  map = null;
  nesting: Nesting;
  level = 0;
  children = null;
  content = '';
  markup = '';
  info = '';
  meta = null;
  block = true;
  hidden = false;

  constructor(type: string, tag: string, nesting: Nesting) {
    this.type = type;
    this.tag = tag;
    this.nesting = nesting;
  }
}
Object.setPrototypeOf(
  BlockToken.prototype,
  new State('', new MarkdownIt(), {}, []).push('hr', 'hr', 0).constructor.prototype as object,
);

export class BlockState extends State {
  override push(type: string, tag: string, nesting: Nesting): Token {
    const token = new BlockToken(type, tag, nesting) as Token;
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
}
