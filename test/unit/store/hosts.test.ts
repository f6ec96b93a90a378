import { describe, expect, it } from 'vitest';
import { firstReached, Hosts, hostsOf } from '../../../src/store/postgres/hosts.ts';

describe('hosts of DATABASE_URL', () => {
  it.each([
    ['postgres://u:p@one/name', ['postgres://u:p@one/name']],
    ['postgres://u:p@one:5433/name?sslmode=require', ['postgres://u:p@one:5433/name?sslmode=require']],
    ['postgres:///name?host=/run/postgresql', ['postgres:///name?host=/run/postgresql']],
    ['postgres://one/name?target_session_attrs=any', ['postgres://one/name']],
    [
      'postgres://u:p%40q@one:5432,two/name?sslmode=require&target_session_attrs=read-write',
      ['postgres://u:p%40q@one:5432/name?sslmode=require', 'postgres://u:p%40q@two/name?sslmode=require'],
    ],
    [
      'postgresql://one,[2001:db8::1]:5433,192.0.2.7/name',
      ['postgresql://one/name', 'postgresql://[2001:db8::1]:5433/name', 'postgresql://192.0.2.7/name'],
    ],
    ['postgres://one,two', ['postgres://one', 'postgres://two']],
  ])('reads %s', (url, urls) => {
    expect(new Hosts(url).urls).toEqual(urls);
  });

  it.each([
    [
      'postgres://one,two/name?target_session_attrs=standby',
      'DATABASE_URL asks for target_session_attrs=standby',
    ],
    ['postgres://one,/name', 'DATABASE_URL has a host that cannot be read'],
    ['postgres://one,two:x/name', 'DATABASE_URL has a host that cannot be read'],
  ])('refuses %s', (url, message) => {
    expect(() => new Hosts(url)).toThrow(message);
  });

  it('goes on to the next host after one that failed, and round again', () => {
    const hosts = new Hosts('postgres://one,two,three/name');
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      seen.push(hosts.current);
      hosts.leave(hosts.current);
    }
    expect(seen).toEqual(['one', 'two', 'three', 'one'].map((host) => `postgres://${host}/name`));
  });

  it('stays with a host that another connection has found meanwhile', () => {
    const hosts = new Hosts('postgres://one,two,three/name');
    const tried = hosts.current;
    hosts.leave(tried);
    hosts.leave(tried);
    expect(hosts.current).toBe('postgres://two/name');
  });
});

describe('a command that needs one connection', () => {
  const refuse = (message: string, members = {}) =>
    Promise.reject(Object.assign(new Error(message), members));

  it('tries each host once, and goes on with the one that answers', async () => {
    const url = 'postgres://gone,standby,primary/command';
    const attempt = () => {
      const { current } = hostsOf(url);
      return current.includes('primary') ? Promise.resolve(current) : refuse('no');
    };
    expect(await firstReached(url, attempt)).toBe('postgres://primary/command');
    expect(hostsOf(url).current).toBe('postgres://primary/command');
  });

  it('tells what each host said where none answers', async () => {
    const url = 'postgres://one:1,two:2/silent';
    const attempt = () => refuse(hostsOf(url).current.includes('one') ? 'refused' : 'timeout');
    await expect(firstReached(url, attempt)).rejects.toMatchObject({
      message: 'one:1: refused; two:2: timeout',
      fix: 'Check DATABASE_URL, the server, and who may connect.',
    });
  });

  it('keeps what PostgreSQL itself refuses', async () => {
    const url = 'postgres://one/refusing';
    const attempt = () => refuse('password authentication failed', { severity: 'FATAL', code: '28P01' });
    await expect(firstReached(url, attempt)).rejects.toMatchObject({ severity: 'FATAL', code: '28P01' });
  });
});
