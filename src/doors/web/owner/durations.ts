/** Durations as people say them: `10 minutes`, `a day`, `2 weeks`; a bare number is seconds. */

const seconds: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
};

export const usualDurations = ['10 minutes', '1 hour', '1 day', '1 week', '30 days'] as const;

/** Seconds; undefined where the text is no duration. */
export function durationSeconds(text: string): number | undefined {
  const [, count = '', unit = 'second'] =
    /^(an?|\d{1,9})\s*(second|minute|hour|day|week|month)?s?$/.exec(text.trim().toLowerCase()) ?? [];
  if (count === '') return undefined;
  return (/^an?$/.test(count) ? 1 : Number(count)) * (seconds[unit] as number);
}
