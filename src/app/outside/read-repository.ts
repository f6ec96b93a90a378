/**
 * Reads the configured repository (`COLOPHON_REPO`) by running git with fixed arguments: no caller input reaches a
 * command line, no repository or user setting runs programs, and time and output are limited.
 */
import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import type { ReadRepository } from '../../domain/outside/outside.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import { plainText } from '../../represent/page-text.ts';
import type { RepositoryTail } from '../../model/outside.ts';

const run = promisify(execFile);

const rootEntriesMax = 500;
const outputBytesMax = 1024 * 1024;
const subjectCharsMax = 300;
/** Author date and subject, separated by NUL; records end in a record separator. */
const commitFormat = '%H%x00%P%x00%an%x00%at%x00%s%x1e';

export interface RepositoryConfig {
  /** Absolute path; undefined where none is configured. */
  readonly repository: string | undefined;
  /** Not published (contract §0): commits by this name are shown as the owner's. */
  readonly ownerName: string | undefined;
}

export function repositoryReader({ repository, ownerName }: RepositoryConfig): ReadRepository {
  return async (signal) => {
    if (repository === undefined) return noRepository();
    const git = gitIn(repository, signal);
    try {
      const [head, objectFormat] = (await git('rev-parse', 'HEAD', '--show-object-format'))
        .trim()
        .split('\n');
      const branch = (await git('rev-parse', '--abbrev-ref', 'HEAD')).trim();
      const listed = readRoot(await git('ls-tree', '-z', '--long', 'HEAD'));
      const tail: RepositoryTail = {
        name: basename(repository),
        branch: branch === 'HEAD' ? null : branch,
        head: head ?? '',
        object_format: objectFormat === 'sha256' ? 'sha256' : 'sha1',
        root: listed.slice(0, rootEntriesMax),
        root_truncated: listed.length > rootEntriesMax,
        commits: readCommits(
          await git('log', '-3', '--no-show-signature', `--format=${commitFormat}`),
          ownerName,
        ),
      };
      return tail;
    } catch (error) {
      return unreadable(error);
    }
  };
}

function gitIn(repository: string, signal: AbortSignal): (...args: readonly string[]) => Promise<string> {
  const settings = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', `safe.directory=${repository}`];
  const fixed = [
    '--no-pager',
    '--no-optional-locks',
    '-C',
    repository,
    ...settings.flatMap((each) => ['-c', each]),
  ];
  const env = {
    PATH: process.env['PATH'] ?? '/usr/bin:/bin',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
  const options = { env, signal, maxBuffer: outputBytesMax };
  return async (...args) => (await run('git', [...fixed, ...args], options)).stdout;
}

/** `<mode> <type> <sha> <size>\t<name>`, each ended by NUL. */
function readRoot(text: string): RepositoryTail['root'][number][] {
  const line = /^\d+ (blob|tree|commit) ([0-9a-f]+) +(\d+|-)\t([^]+)$/;
  return text.split('\0').flatMap((entry) => {
    const [, type, sha = '', size, name = ''] = line.exec(entry) ?? [];
    return type === undefined
      ? []
      : [
          {
            name: plainText(name, 255).text,
            type: type as RepositoryTail['root'][number]['type'],
            sha,
            size: size === '-' ? null : Number(size),
          },
        ];
  });
}

function readCommits(text: string, ownerName: string | undefined): RepositoryTail['commits'][number][] {
  return text.split('\x1e').flatMap((record) => {
    const [sha = '', parents = '', author = '', ts = '', subject = ''] = record
      .replace(/^\n/, '')
      .split('\0');
    if (sha === '') return [];
    return [
      {
        sha,
        parents: parents === '' ? [] : parents.split(' '),
        author: isOwner(author, ownerName) ? 'owner' : plainText(author, 200).text,
        ts: new Date(Number(ts) * 1000).toISOString(),
        subject: withoutOwner(plainText(subject, subjectCharsMax).text, ownerName),
      },
    ];
  });
}

function isOwner(author: string, ownerName: string | undefined): boolean {
  return ownerName !== undefined && author.toLowerCase().includes(ownerName.toLowerCase());
}

function withoutOwner(text: string, ownerName: string | undefined): string {
  return ownerName === undefined || ownerName === '' ? text : text.replaceAll(ownerName, 'owner');
}

/** The refusal if no repository is configured, before the call is charged. */
export function noRepository(): Fault {
  return fault(
    'runner_failed',
    'No repository is configured.',
    'The operator sets COLOPHON_REPO to the folder of a git repository and starts again.',
    { reason: 'not_configured', missing: ['COLOPHON_REPO'] },
  );
}

/** Git's messages may contain local paths and are not published. */
function unreadable(error: unknown): Fault {
  const missing = (error as { readonly code?: unknown }).code === 'ENOENT';
  return fault(
    'runner_failed',
    missing ? 'Git is not installed here.' : 'The configured repository cannot be read.',
    missing
      ? 'The operator installs git.'
      : 'The operator sees to it that COLOPHON_REPO is a git repository with a commit that this service may read.',
    { reason: missing ? 'git_missing' : 'unreadable' },
  );
}
