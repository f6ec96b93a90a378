/** `/verify` (contract §6): the key, the commands, and a verifier that runs in the page. */
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { Id, VerificationStatus } from './parts.tsx';

export function verifyPage(site: Site): string {
  const { base, secrets } = site.service;
  const key = secrets.signer.key.text;
  return renderPage(
    site,
    {
      title: 'Verify',
      description: 'What can be verified on this site, with which key, and how.',
      canonical: `${base}/verify`,
      scripts: ['verify'],
      here: 'Verify',
    },
    <article class="prose-page">
      <h1>Verify</h1>
      <p class="lead">
        Everything that happens here is an entry with a hash. Entries of one thing form a chain, each naming
        the hash before it; all entries together are the leaves of one log, whose newest state is signed. So
        any holder of the key can detect later changes without trusting this site.
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

      <h2 id="here">In this browser</h2>
      <noscript>
        <p>This part needs JavaScript. The commands below do the same without a browser.</p>
      </noscript>
      <form id="verify-form" class="verify-form" hidden>
        <p>
          <label for="document">
            A receipt, a confirmation, an article or a bundle as JSON, or a proof that begins with
            c2sp.org/tlog-proof
          </label>
          <textarea id="document" rows={9} spellcheck={false} autocomplete="off" />
        </p>
        <p>
          <label for="file">or a file with one</label>
          <input
            id="file"
            type="file"
            accept=".json,.receipt,.bundle,.tlog-proof,.txt,application/json,text/plain"
          />
        </p>
        <p id="entry-field" hidden>
          <label for="entry">The hash of the entry that the proof is about, or the entry as JSON</label>
          <input id="entry" spellcheck={false} autocomplete="off" />
        </p>
        <p>
          <label for="trusted-key">
            The key to check against. Leave empty to trust the key this site publishes
          </label>
          <input id="trusted-key" spellcheck={false} autocomplete="off" />
        </p>
        <p>
          <button type="submit">Verify this</button>{' '}
          <button type="button" id="verify-log">
            Verify the whole log
          </button>
        </p>
      </form>
      <VerificationStatus what="" />

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
            Every chain in it is whole from genesis, every text matches its hash, the DIVs join to the body,
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
      <p>
        Verification does not check whether a source is true or whether a typed name is real. It shows that
        the record is complete, and whose credential wrote it.
      </p>

      <h2 id="commands">On a command line</h2>
      <p>The whole log, from anywhere:</p>
      <pre class="wrapped">{`colophon verify --url ${base} --key '${key}'`}</pre>
      <p>A saved receipt or article:</p>
      <pre class="wrapped">{`colophon verify <file> --key '${key}'`}</pre>
      <p>On the machine that runs this, the ledger with all its contents and projections:</p>
      <pre class="wrapped">colophon verify</pre>
      <p>
        The verifier that this page uses stands alone in the source tree, in the folder <code>verify/</code>:
        it shares no code with the server and needs no packages. The hash of one DIV or one claim needs
        nothing but <code>sha256sum</code>.
      </p>
      <p>
        The log follows <Id>c2sp.org/tlog-tiles</Id>, <Id>c2sp.org/tlog-checkpoint</Id> and{' '}
        <Id>c2sp.org/tlog-proof</Id>, so that other tools can read it too.
      </p>
    </article>,
  );
}
