/** The questions asked of an article with their answers, on the pages of its discussion and of the desk (contract §5, §8). */
import type { ComponentChildren } from 'preact';
import type { QuestionNode } from '../../model/question.ts';
import { Ago } from './components/ago.tsx';
import { Chip } from './components/chip.tsx';
import { ReceiptLink } from './parts.tsx';
import type { Site } from './site.ts';

/** Questions asked of the article so far, newest first, with their answers. */
export function Questions({
  site,
  slug,
  questions,
  children,
}: Readonly<{
  site: Site;
  slug: string;
  questions: readonly QuestionNode[];
  children?: ComponentChildren;
}>) {
  if (questions.length === 0 && children === undefined) return null;
  return (
    <section class="questions" aria-labelledby="questions">
      <h2 id="questions">Questions asked</h2>
      {children}
      <ol class="entries">
        {questions.slice(0, questionsMax).map((node) => (
          <li key={node.id} class="entry" id={node.id}>
            <p class="entry-head">
              {node.status === 'gap' ? (
                <Chip state="open" />
              ) : (
                <span class="chip chip-stance">
                  {node.status === 'answered' ? 'answered' : 'evidence added'}
                </span>
              )}
              {node.asked > 1 ? <span>asked {node.asked} times</span> : null}
              <span class="entry-time">
                <Ago iso={node.asked_at} />
              </span>
            </p>
            <p class="question" dir="auto">
              {node.question}
            </p>
            {node.answer_preview === '' ? null : (
              <p class="entry-body" dir="auto">
                {node.answer_preview}
              </p>
            )}
            <p class="entry-foot">
              {node.written_by === undefined ? null : <>Written by {node.written_by}. </>}
              {[...node.cited_claim_ids, ...node.cited_div_ids].length === 0 ? null : (
                <>
                  Rests on{' '}
                  {[...node.cited_claim_ids, ...node.cited_div_ids].map((id, i) => (
                    <>
                      {i === 0 ? '' : ', '}
                      <a key={id} href={site.to.div(slug, id)}>
                        {id}
                      </a>
                    </>
                  ))}
                  .{' '}
                </>
              )}
              {node.gaps.length === 0 ? null : (
                <>Missing: {node.gaps.map(({ detail }) => detail).join(' ')} </>
              )}
              <ReceiptLink site={site} inv={node.receipt}>
                Receipt
              </ReceiptLink>
            </p>
          </li>
        ))}
      </ol>
      {questions.length > questionsMax ? (
        <p class="section-note">
          The newest {questionsMax} of {questions.length};{' '}
          <a href={site.to.part(slug, 'question-graph')}>all as JSON</a>.
        </p>
      ) : null}
    </section>
  );
}

const questionsMax = 50;

export function HowToAsk({ site, slug, asked }: Readonly<{ site: Site; slug: string; asked: number }>) {
  return (
    <p class="section-note">
      {asked === 0
        ? 'Nothing has been asked of this article yet. A question stays here with its answer, which is made of the claims and blocks of the article alone, and with what they leave open.'
        : 'Each answer is made of the claims and blocks of this article alone, and says what they leave open.'}{' '}
      <a href={`${site.to.discuss(slug, { on: '', as: 'question' })}#say`} rel="nofollow">
        Propose a question
      </a>{' '}
      to the owner, or{' '}
      <a href={`${site.to.owner}/a/${slug}#ask-title`} rel="nofollow">
        ask it at the desk
      </a>
      .
    </p>
  );
}
