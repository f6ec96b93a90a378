/** Who acted, by initial; the name stands beside it, so that it is hidden from screen readers. */

const hues = 6;

export function Avatar({ name }: { readonly name: string }) {
  const [initial = '?'] = /[\p{L}\p{N}]/u.exec(name.replace(/^cap_/, '')) ?? [];
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997, 7) % hues;
  return (
    <span class={`avatar avatar-${hue}`} aria-hidden="true">
      {initial.toLocaleUpperCase('en-GB')}
    </span>
  );
}
