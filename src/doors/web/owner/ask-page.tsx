/**
 * Asking an article at the desk (contract §5 "Ask", §8): the box on `/owner/a/<slug>`, and `/owner/a/<slug>/ask` with the
 * whole answer, what it rests on and what it cost, and the questions asked so far.
 */
import type { Receipt } from '../../../model/invocation.ts';
import type { QuestionAnswered, QuestionNode } from '../../../model/question.ts';
import type { Fault } from '../../../kernel/fault.ts';
import { opaqueId } from '../../../kernel/ids.ts';
import { questionCharsMax } from '../../../domain/questions/ask.ts';
import { Button } from '../components/button.tsx';
import { Disclosure } from '../components/disclosure.tsx';
import { Field } from '../components/field.tsx';
import { Toast } from '../components/toast.tsx';
import { Questions } from '../questions-asked.tsx';
import { ReceiptLink } from '../parts.tsx';
import { violationsOf } from '../say-form.tsx';
import { deskPage } from './console-page.tsx';
import { type OpenArticle, writePaths } from './write/desk.ts';

interface AskBoxProps {
  readonly article: OpenArticle;
  /** The question that the next one follows from. */
  readonly parent?: string | undefined;
  /** A refused question. */
  readonly sent?: string | undefined;
  readonly refusal?: Fault | undefined;
}

export function askPath({ context, state }: OpenArticle): string {
  return `${writePaths(context.site.root).article(state.row.slug)}/ask`;
}

/** The box alone; nothing for those who may not ask. */
export function AskBox({ article, parent, sent, refusal }: AskBoxProps) {
  const { context, state } = article;
  if (!context.may('ARTICLE_ASK', state.row.slug)) return null;
  const { model } = context.site.service.outside;
  const errors = violationsOf(refusal).map(({ message, fix }) => `${message} ${fix}`);
  const wrong = errors.length > 0 ? errors.join(' ') : refusal && `${refusal.message} ${refusal.fix}`;
  return (
    <form method="post" action={askPath(article)} class="ask">
      <input type="hidden" name="form_token" value={context.session.formToken} />
      <input type="hidden" name="once" value={opaqueId('form_')} />
      {parent === undefined ? null : <input type="hidden" name="parent" value={parent} />}
      <Field
        id="question"
        label={parent === undefined ? 'Ask the article' : 'Ask a further question'}
        hint={
          model === undefined
            ? 'No model is configured here: the answer is put together from the claims and blocks that fit best, and costs nothing. COLOPHON_MODEL names a model that writes it instead.'
            : `${model.name} writes the answer from the claims and blocks that fit best, and nothing else. Tokens and cost are on the receipt.`
        }
        {...(wrong === undefined ? {} : { error: wrong })}
      >
        {(wired) => (
          <textarea
            {...wired}
            name="question"
            rows={2}
            maxLength={questionCharsMax}
            dir="auto"
            value={sent ?? ''}
          />
        )}
      </Field>
      <div class="buttons">
        <Button>Ask</Button>
      </div>
    </form>
  );
}

/** The box, and the questions asked so far folded below it. */
export function AskSection({
  article,
  questions,
}: Readonly<{ article: OpenArticle; questions: readonly QuestionNode[] }>) {
  const { site } = article.context;
  const { slug } = article.state.row;
  const mayAsk = article.context.may('ARTICLE_ASK', slug);
  if (!mayAsk && questions.length === 0) return null;
  return (
    <section class="desk-section" aria-labelledby="ask-title">
      <h2 id="ask-title">Questions</h2>
      <AskBox article={article} />
      {questions.length === 0 ? (
        <p class="section-note">
          Nothing has been asked yet. Each question stays here with its answer and what is missing.
        </p>
      ) : (
        <Disclosure summary={`Questions asked so far (${questions.length})`}>
          <Questions site={site} slug={slug} questions={questions} />
        </Disclosure>
      )}
    </section>
  );
}

export interface AskView {
  readonly article: OpenArticle;
  readonly questions: readonly QuestionNode[];
  /** The answer that a form led to. */
  readonly answered?:
    { readonly inv: string; readonly result: QuestionAnswered; readonly spent: Receipt['yield'] } | undefined;
  readonly sent?: string | undefined;
  readonly refusal?: Fault | undefined;
}

export function askPage({ article, questions, answered, sent, refusal }: AskView): string {
  const { context, state } = article;
  const { site } = context;
  const { slug, title } = state.row;
  const paths = writePaths(site.root);
  return deskPage(
    context,
    { title: `Ask ${title}`, here: 'articles' },
    <div class="narrow">
      <p class="crumbs">
        <a href={paths.articles}>Articles</a> ›{' '}
        <a href={paths.article(slug)} dir="auto">
          {title}
        </a>{' '}
        › Ask
      </p>
      <h1>Ask the article</h1>
      {refusal === undefined ? null : (
        <Toast kind="refused">
          <p>
            <strong>Nothing was asked.</strong> {refusal.message} {refusal.fix}
          </p>
        </Toast>
      )}
      {answered === undefined ? null : <AnswerText article={article} answered={answered} />}
      <AskBox article={article} parent={answered?.result.question_node.id} sent={sent} refusal={refusal} />
      <Questions site={site} slug={slug} questions={questions} />
    </div>,
  );
}

function AnswerText({
  article,
  answered: { inv, result, spent },
}: Readonly<{ article: OpenArticle; answered: NonNullable<AskView['answered']> }>) {
  const { site } = article.context;
  const { answered_by: by, citations, gaps } = result;
  return (
    <section class="card" aria-labelledby="answer">
      <h2 id="answer" dir="auto">
        {result.question}
      </h2>
      <p class="entry-body" dir="auto">
        {result.answer}
      </p>
      {citations.length === 0 ? null : (
        <>
          <p>It rests on:</p>
          <ul>
            {citations.map(({ id, text, permalink }) => (
              <li key={id} dir="auto">
                {text} <a href={permalink}>{id}</a>
              </li>
            ))}
          </ul>
        </>
      )}
      {gaps.length === 0 ? null : (
        <>
          <p>What is missing:</p>
          <ul>
            {gaps.map(({ code, detail }) => (
              <li key={`${code} ${detail}`}>{detail}</li>
            ))}
          </ul>
        </>
      )}
      <p class="card-foot">
        {by.kind === 'model'
          ? `Written by ${by.model ?? 'a model'}. `
          : 'Put together from the article, not written by a model. '}
        {by.note} {costText(spent)}{' '}
        <ReceiptLink site={site} inv={inv}>
          Receipt
        </ReceiptLink>
      </p>
    </section>
  );
}

function costText({ tokens, cost }: Receipt['yield']): string {
  if (tokens.total === 0) return 'It cost nothing.';
  const price = cost.usd === null ? 'at an unknown price' : `for $${cost.usd.toFixed(4)}`;
  return `It took ${tokens.total.toLocaleString('en-GB')} tokens ${price}.`;
}
