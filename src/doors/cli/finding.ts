/** One thing that `colophon doctor` looked at, and how it is told. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly detail: string;
  /** What to do; '' where nothing is wrong. */
  readonly fix: string;
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail, fix: '' };
}

export function warn(check: string, detail: string, fix: string): Finding {
  return { check, state: 'warn', detail, fix };
}

export function fail(check: string, detail: string, fix: string): Finding {
  return { check, state: 'fail', detail, fix };
}
