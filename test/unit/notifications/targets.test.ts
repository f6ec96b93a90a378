/** Decisions on notifications: which targets are refused, and when an attempt is made again. */
import { describe, expect, it } from 'vitest';
import {
  recordAttempt,
  targetRules,
  type TargetInput,
  type TargetRow,
} from '../../../src/domain/notifications/targets.ts';
import { needsTls } from '../../../src/app/outside/mail.ts';
import { signatureOf } from '../../../src/domain/webhook/signature.ts';

const row = {
  id: 'hook_a',
  failing_since: null,
  head: { n: 0, hash: 'x', ts: '2026-01-01T00:00:00.000Z' },
} as unknown as TargetRow;
const now = '2026-01-01T00:00:00.000Z';

describe('recordAttempt', () => {
  it.each([
    [1, '2026-01-01T00:00:05.324Z'],
    [2, '2026-01-01T00:05:39.216Z'],
    [3, '2026-01-01T00:34:01.256Z'],
    [4, '2026-01-01T02:14:21.302Z'],
    [5, '2026-01-01T05:50:25.884Z'],
    [6, '2026-01-01T11:29:37.741Z'],
    [7, '2026-01-01T11:54:44.144Z'],
  ])('waits after failed attempt %i until %s', (attempt, nextAt) => {
    const { draft } = recordAttempt(row, { n: 0, attempt, delivered: false, answered: 503 }, now);
    expect([draft['action'], draft['next_at']]).toEqual(['fail', nextAt]);
  });

  it.each([
    ['after the eighth attempt', { attempt: 8, answered: 503 }],
    ['at 410 Gone', { attempt: 1, answered: 410 }],
  ])('gives up %s', (_, { attempt, answered }) => {
    const { draft } = recordAttempt(row, { n: 0, attempt, delivered: false, answered }, now);
    expect([draft['action'], draft['next_at']]).toEqual(['give_up', undefined]);
  });

  it.each([
    ['a message is given up after five days without a delivery', '2025-12-27T00:00:00.000Z', 8, 503, true],
    ['a message is given up sooner', '2025-12-27T00:00:01.000Z', 8, 503, undefined],
    ['an attempt is left', '2025-12-01T00:00:00.000Z', 7, 503, undefined],
    ['the receiver answers 410 Gone', null, 1, 410, true],
  ])('stops the target or not where %s', (_, since, attempt, answered, stops) => {
    const failing: TargetRow = { ...row, failing_since: since };
    const { draft } = recordAttempt(failing, { n: 0, attempt, delivered: false, answered }, now);
    expect(draft['stops']).toBe(stops);
  });
});

describe('needsTls', () => {
  it.each([
    ['smtp://user:pass@mail.example.org:587', true],
    ['smtp://mail.example.org', false],
    ['smtp://user:pass@127.0.0.1:25', false],
    ['smtp://user:pass@127.example.org', true],
    ['smtps://user:pass@mail.example.org', false],
  ])('of %s is %s', (url, needed) => {
    expect(needsTls(url)).toBe(needed);
  });
});

describe('targetRules', () => {
  it.each<[TargetInput, string[]]>([
    [{ feed: true }, []],
    [{ url: 'https://example.org/' }, []],
    [{ mail: 'ada@example.org' }, []],
    [{}, ['/url']],
    [{ feed: false }, ['/url']],
    [{ feed: true, mail: 'ada@example.org' }, ['/url']],
    [{ mail: 'ada@example.org\r\nBcc: eve@example.org' }, ['/mail']],
    [{ mail: 'ada@example.org, eve@example.org' }, ['/mail']],
    [{ feed: true, events: [] }, ['/events']],
    [{ feed: true, name: ' ' }, ['/name']],
  ])('of %j', (input, places) => {
    expect(targetRules(input).map(({ at }) => at)).toEqual(places);
  });
});

describe('signatureOf', () => {
  // The example of the Standard Webhooks specification.
  it('signs id, timestamp and body', () => {
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    expect(signatureOf(key, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });
});
