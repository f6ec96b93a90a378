/** `/owner/images` (contract §8): an image is uploaded or fetched, and the Markdown that shows it is given. */
import type { ImageStored } from '../../../../model/outside.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { Toast } from '../../components/toast.tsx';
import { ReceiptLink } from '../../parts.tsx';
import { type ConsoleContext, deskPage } from '../console-page.tsx';
import { Hidden, type Refusal } from './import-pages.tsx';

export interface StoredImage {
  readonly image: ImageStored;
  readonly inv: string;
}

export function imagesPage(
  context: ConsoleContext,
  {
    stored,
    problem,
    fields = {},
  }: {
    readonly stored?: StoredImage | undefined;
    readonly problem?: Refusal | undefined;
    readonly fields?: Readonly<Record<string, string>>;
  },
): string {
  return deskPage(
    context,
    { title: 'Images', here: 'import', path: '/images', scripts: ['intake'] },
    <>
      <h1>Images</h1>
      <p class="lead">
        Articles show images that are stored here. Metadata, such as where a photograph was taken, is left
        out. Anyone who knows the address of an image can open it.
      </p>
      {problem === undefined ? null : (
        <Toast kind="refused">
          {problem.message} {problem.fix}
        </Toast>
      )}
      {stored === undefined ? null : <Stored context={context} stored={stored} />}
      <form
        method="post"
        action={`${context.site.root}/owner/images`}
        enctype="multipart/form-data"
        class="intake-form"
      >
        <Hidden context={context} />
        <div class="intake-drop" data-drop="">
          <Field id="image" label="Image" hint="PNG, JPEG, GIF, WebP or AVIF, at most 5 MiB. Drop it here.">
            {(wired) => (
              <input
                {...wired}
                type="file"
                name="image"
                accept="image/png,image/jpeg,image/gif,image/webp,image/avif"
              />
            )}
          </Field>
        </div>
        <Field id="url" label="Or its address" hint="It is fetched once, now, and served from here.">
          {(wired) => (
            <input {...wired} type="url" name="url" value={fields['url'] ?? ''} autocomplete="off" />
          )}
        </Field>
        <Field id="alt" label="What it shows" hint="For readers who do not see it.">
          {(wired) => (
            <input {...wired} type="text" name="alt" value={fields['alt'] ?? ''} autocomplete="off" />
          )}
        </Field>
        <p class="intake-actions">
          <Button kind="primary">Store the image</Button>
        </p>
      </form>
    </>,
  );
}

function Stored({
  context,
  stored: { image, inv },
}: {
  readonly context: ConsoleContext;
  readonly stored: StoredImage;
}) {
  return (
    <section class="card intake-stored" aria-labelledby="stored">
      <h2 id="stored" class="card-title">
        Stored
      </h2>
      <img
        src={`${context.site.root}${image.path}`}
        alt="The stored image"
        width={image.width}
        height={image.height}
      />
      <Field id="markdown" label="Markdown to paste">
        {(wired) => <input {...wired} type="text" readonly value={image.markdown} />}
      </Field>
      <p class="intake-facts">
        {image.media_type}, {image.width} × {image.height} pixels, {image.bytes.toLocaleString('en-GB')}{' '}
        bytes.
        {image.removed.length === 0 ? '' : ` Left out: ${image.removed.join(', ')}.`} Receipt{' '}
        <ReceiptLink site={context.site} inv={inv} />.
      </p>
    </section>
  );
}
