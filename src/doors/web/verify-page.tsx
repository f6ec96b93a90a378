/** `/verify` (contract §6): the key, the commands, and a verifier that runs in the page. */
import { Button } from './components/button.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { Id, VerificationStatus } from './parts.tsx';

export function verifyPage(site: Site): string {
  const { base, secrets, policyFile } = site.service;
  const key = secrets.signer.key.text;
  return renderPage(
    site,
    {
      title: 'Verify',
      description: 'Check a receipt, a proof, an article or a bundle in your browser.',
      canonical: `${base}/verify`,
      scripts: ['verify-evidence'],
      here: 'Verify',
      isOwnText: true,
    },
    <article class="prose-page">
      <h1>Verify</h1>
      <p class="lead">
        Check a receipt, a proof, an article or a bundle that you were given. The check runs in your browser;
        nothing that you drop here is sent anywhere.
      </p>
      <noscript>
        <p class="notice">
          Checking in the browser needs JavaScript. <a href="#commands">The commands below</a> do the same
          without a browser.
        </p>
      </noscript>
      <form id="verify-form" class="verify-form" hidden>
        <div class="drop-zone" id="drop-zone">
          <p>
            <label for="file">Drop files here, or choose them</label>
            <input id="file" type="file" multiple />
          </p>
          <p class="field-hint">
            Receipts and confirmations, articles and bundles as JSON, checkpoints, proofs. A proof and its
            receipt together are checked against each other.
          </p>
        </div>
        <p>
          <label for="document">Or paste a document</label>
          <textarea id="document" rows={7} spellcheck={false} autocomplete="off" />
        </p>
        <p id="entry-field" hidden>
          <label for="entry">The hash of the entry that the proof is about, or the entry as JSON</label>
          <input type="text" id="entry" spellcheck={false} autocomplete="off" />
        </p>
        <details class="disclosure">
          <summary>Use another key</summary>
          <p>
            <label for="trusted-key">The key to check against</label>
            <input
              type="text"
              id="trusted-key"
              spellcheck={false}
              autocomplete="off"
              aria-describedby="trusted-key-hint"
            />
          </p>
          <p class="field-hint" id="trusted-key-hint">
            Leave empty to trust the key this site publishes.
          </p>
        </details>
        <details class="disclosure" id="policy-box">
          <summary>Demand witnesses</summary>
          <p>
            <label for="policy">A trust policy: the log, its witnesses and a quorum</label>
            <textarea
              id="policy"
              rows={5}
              spellcheck={false}
              autocomplete="off"
              aria-describedby="policy-hint"
            />
          </p>
          <p class="field-hint" id="policy-hint">
            A <a href="https://c2sp.org/tlog-policy">C2SP tlog-policy</a> file, which may be dropped above as
            well. What lacks its quorum does not verify. Leave empty to demand no witnesses.
            {policyFile === undefined ? null : (
              <>
                {' '}
                <a href={`${site.root}/.well-known/colophon-policy`}>This site publishes one.</a>
              </>
            )}
          </p>
        </details>
        <p class="buttons">
          <Button kind="primary">Verify</Button>
          <Button type="button" id="verify-log">
            Verify the whole log
          </Button>
        </p>
      </form>
      <VerificationStatus site={site} what="" />
      <ol class="findings" id="findings" hidden />

      <h2 id="verdicts">What the verdicts mean</h2>
      <dl class="facts">
        <div>
          <dt>Verified</dt>
          <dd>Every hash fits, and the signature of the log stands over it. Nothing was changed since.</dd>
        </div>
        <div>
          <dt>Does not verify</dt>
          <dd>
            It is evidence, and a part of it does not fit. The page names the part and says why. Either it was
            changed, or it belongs to another log than the key.
          </dd>
        </div>
        <div>
          <dt>This key signed two histories</dt>
          <dd>
            It is evidence against a log: two checkpoints that contradict each other, both signed with the key
            of that log. The file proves it by itself; its sender need not be trusted.
          </dd>
        </div>
        <div>
          <dt>Cannot be read</dt>
          <dd>It is no evidence at all: a web page, an image, an error answer, JSON with a defect.</dd>
        </div>
      </dl>
      <p>
        Verification does not check whether a source is true or whether a typed name is real. It shows that
        the record is complete, and whose credential wrote it.
      </p>

      <h2 id="key">The key</h2>
      <p>This log signs with</p>
      <pre class="wrapped" id="site-key">
        {key}
      </pre>
      <p>
        It is served at <a href={`${site.root}/.well-known/colophon-key`}>/.well-known/colophon-key</a>. A key
        from the same site as the data proves only that the two agree: compare it once with a copy from
        elsewhere, and keep that copy.
      </p>
      {policyFile === undefined ? null : (
        <p>
          Witnesses cosign this log, so that it cannot show two histories. The policy that names them is at{' '}
          <a href={`${site.root}/.well-known/colophon-policy`}>/.well-known/colophon-policy</a>;{' '}
          <a href={`${site.to.log}#witnesses`}>the log</a> says how much of it they have seen. The pages of
          receipts and articles take this site’s word for the key and the policy, and show what the witnesses
          have seen without demanding it. To demand it, get a copy of the policy from elsewhere and give it
          above.
        </p>
      )}

      <h2 id="what">What is checked</h2>
      <dl class="facts">
        <div>
          <dt>A receipt</dt>
          <dd>
            Its entries are one whole chain from genesis, named after the call; request and response are what
            they commit to, where they are shown; the first entry is in the signed log.
          </dd>
        </div>
        <div>
          <dt>An article</dt>
          <dd>
            Every chain in it is whole from genesis, every text matches its hash, the blocks join to the body,
            the quotes of sources match their commitments.
          </dd>
        </div>
        <div>
          <dt>A proof</dt>
          <dd>
            The checkpoint in it bears the key’s signature, and the hashes lead from the entry to the root
            that was signed.
          </dd>
        </div>
        <div>
          <dt>The log</dt>
          <dd>
            Every entry hashes to its leaf, every tile to the tiles above, the root to the signature, and
            every chain runs from genesis.
          </dd>
        </div>
      </dl>

      <h2 id="commands">On a command line</h2>
      <p>The whole log, from anywhere:</p>
      <pre class="wrapped">{`colophon verify --url ${base} --key '${key}'`}</pre>
      <p>A saved receipt or article:</p>
      <pre class="wrapped">{`colophon verify <file> --key '${key}'`}</pre>
      <p>On the machine that runs this, the ledger with all its contents and projections:</p>
      <pre class="wrapped">colophon verify</pre>
      <p>
        The verifier that this page uses stands alone in the source tree, in the folder <code>verify/</code>:
        it shares no code with the server and needs no packages. The hash of one block or one claim needs
        nothing but <code>sha256sum</code>.
      </p>
      <p>
        The log follows <Id>c2sp.org/tlog-tiles</Id>, <Id>c2sp.org/tlog-checkpoint</Id> and{' '}
        <Id>c2sp.org/tlog-proof</Id>, so that other tools can read it too.
      </p>
    </article>,
  );
}
