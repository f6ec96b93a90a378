import { describe, expect, it } from 'vitest';
import { clientAddress, clientKey } from '../../../src/guard/client-address.ts';
import { rateLimits } from '../../../src/guard/limits.ts';
import { sizeLimits } from '../../../src/kernel/size-limits.ts';
import { RateLimiter } from '../../../src/guard/rate-limit.ts';

describe('the default limits', () => {
  it('are those of the contract', () => {
    const table = Object.entries(rateLimits).map(([name, limit]) => [
      name,
      limit.callsMax,
      limit.windowSeconds,
      limit.by,
    ]);
    expect(table).toEqual([
      ['intakeByClient', 30, 60, 'client'],
      ['intakeByArticle', 200, 60, 'article'],
      ['start', 20, 60, 'client'],
      ['failedCredential', 10, 60, 'client'],
      ['upload', 60, 60, 'client'],
      ['read', 1200, 60, 'client'],
    ]);
    expect(sizeLimits).toEqual({
      dispatchBytesMax: 262_144,
      requestBytesMax: 1_048_576,
      batchBytesMax: 8_388_608,
      importBytesMax: 67_108_864,
      articleBytesMax: 2_097_152,
      articleDivsMax: 10_000,
      divBytesMax: 65_536,
      intakeCharsMax: 8_000,
      providerBytesMax: 33_554_432,
    });
  });

  it('keep at most 100,000 keys together', () => {
    const keys = Object.values(rateLimits).reduce((sum, limit) => sum + limit.keysMax, 0);
    expect(keys).toBe(100_000);
  });
});

describe('the rate limiter', () => {
  it('allows a client 30 open writes in a minute and refuses the 31st', () => {
    const limiter = new RateLimiter();
    const verdicts = Array.from({ length: 31 }, (_, i) =>
      limiter.take('intakeByClient', '192.0.2.7', i * 100),
    );
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(30);
    expect(verdicts[30]).toEqual({
      allowed: false,
      limit: 30,
      remaining: 0,
      retryAfterSeconds: 67,
      resetSeconds: 67,
    });
  });

  it('counts every limit apart', () => {
    const limiter = new RateLimiter();
    for (let i = 0; i < 10; i++) limiter.take('failedCredential', '192.0.2.7', 0);
    expect(limiter.take('failedCredential', '192.0.2.7', 0).allowed).toBe(false);
    expect(limiter.take('read', '192.0.2.7', 0)).toMatchObject({
      allowed: true,
      limit: 1200,
      remaining: 1199,
    });
  });

  it('takes limits from the deployment', () => {
    const limiter = new RateLimiter({ ...rateLimits, start: { ...rateLimits.start, callsMax: 1 } });
    expect([0, 0].map((now) => limiter.take('start', 'k', now).allowed)).toEqual([true, false]);
  });

  it('charges no article for a call that its client may not make', () => {
    const limiter = new RateLimiter();
    const charge = (client: string): boolean =>
      limiter.takeAll(
        [
          { limit: 'intakeByClient', key: client },
          { limit: 'intakeByArticle', key: 'on-bread' },
        ],
        0,
      ).allowed;
    const flood = Array.from({ length: 1_000 }, () => charge('192.0.2.7'));
    expect(flood.filter(Boolean)).toHaveLength(30);
    const others = Array.from({ length: 400 }, (_, i) => charge(`198.51.100.${i % 200}`));
    expect(others.filter(Boolean)).toHaveLength(170);
  });

  it('answers several charges with the tightest', () => {
    const limiter = new RateLimiter();
    const charges = [
      { limit: 'intakeByArticle', key: 'on-bread' },
      { limit: 'intakeByClient', key: '192.0.2.7' },
    ] as const;
    expect(limiter.takeAll(charges, 0)).toMatchObject({ allowed: true, limit: 30, remaining: 29 });
    for (let i = 0; i < 200; i++) limiter.take('intakeByArticle', 'on-bread', 45_000);
    for (let i = 0; i < 29; i++) limiter.take('intakeByClient', '192.0.2.7', 45_000);
    expect(limiter.takeAll(charges, 45_000)).toMatchObject({ allowed: false, retryAfterSeconds: 25 });
    expect(limiter.takeAll(charges, 70_000)).toMatchObject({ allowed: true, limit: 200, remaining: 0 });
  });

  it('gives one IPv6 customer one budget, however many addresses it uses', () => {
    const limiter = new RateLimiter();
    const verdicts = Array.from({ length: 11 }, (_, i) => {
      const address = clientAddress(`2001:db8:0:7::${(i + 1).toString(16)}`, undefined, []);
      return limiter.take('failedCredential', clientKey(address), 0).allowed;
    });
    expect(verdicts.lastIndexOf(true)).toBe(9);
  });
});
