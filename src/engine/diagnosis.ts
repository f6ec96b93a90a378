/** One thing that `colophon doctor` looked at: what it found, and what to do about it. */
export interface Diagnosis {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; '' where nothing is wrong. */
  readonly fix: string;
}

export function ok(check: string, detail: string): Diagnosis {
  return { check, state: 'ok', detail, fix: '' };
}

export function warn(check: string, detail: string, fix: string): Diagnosis {
  return { check, state: 'warn', detail, fix };
}

export function fail(check: string, detail: string, fix: string): Diagnosis {
  return { check, state: 'fail', detail, fix };
}
