/** How much of something is done, in words and as a bar. */
import { countText } from '../format-text.ts';

type Props = Readonly<{ id: string; label: string; value: number; max: number; unit?: string }>;

export function Progress({ id, label, value, max, unit }: Props) {
  return (
    <div class="progress">
      <label for={id}>{label}</label>
      <progress id={id} value={value} max={max} />
      <span class="progress-count">
        {value.toLocaleString('en-GB')} of{' '}
        {unit === undefined ? max.toLocaleString('en-GB') : countText(max, unit)}
      </span>
    </div>
  );
}
