/** The environment, read once (contract §0). A bad value is one line that names the variable and what it accepts. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseTrustedProxies, type TrustedProxies } from './guard/client-address.ts';
import type { CreativeConfig } from './app/outside/creative.ts';
import type { MailConfig } from './app/outside/mail.ts';
import type { Prices } from './app/outside/prices.ts';
import type { ModelConfig } from './app/outside/write-model.ts';
import { defaultEngines, keyVariable, type Engine } from './domain/creative/engines.ts';
import { OperatorError } from './engine/store.ts';
import { parseEgressAllow, type EgressAllow } from './guard/egress.ts';
import { parseLimits, type Limits } from './guard/limits.ts';
import { isFault } from './kernel/fault.ts';
import { parseLogKey } from './ledger/cosignature.ts';
import { signaturesMax, type VerifierKey } from './ledger/note.ts';
import { demandsWitnesses, meetsQuorum, parsePolicy, type Policy } from './ledger/policy.ts';
import { isRefusal } from './ledger/refusal.ts';

export interface PolicyFile {
  readonly file: Uint8Array;
  readonly policy: Policy;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without a final slash. */
  readonly baseUrl: string;
  readonly dataFolder: string;
  /** Where the last signed checkpoint is kept apart from the ledger. */
  readonly checkpointPath: string;
  /**
   * Reads the trust policy: the witnesses that are asked for cosignatures, and the quorum. Throws `BadConfig`, so that what
   * needs no policy, such as a backup, goes on without.
   */
  readonly readPolicy: () => PolicyFile | undefined;
  /** Logs whose checkpoints are cosigned. */
  readonly witnessLogs: readonly VerifierKey[];
  readonly databaseUrl: string | undefined;
  readonly terminalKey: string | undefined;
  readonly secretKey: string | undefined;
  readonly ownerName: string | undefined;
  readonly rateLimit: boolean;
  readonly limits: Limits;
  readonly trustedProxies: TrustedProxies;
  /** Whether sources are looked at again in the background. */
  readonly linkCheck: boolean;
  /** Whether the stored ledger is gone over in the background. */
  readonly audit: boolean;
  readonly logLevel: string;
  /** Networks that requests to the outside may reach although they are not public. */
  readonly egressAllow: EgressAllow;
  /** Where the modules of fn rows lie. */
  readonly moduleFolder: string | undefined;
  /** The repository that REPO_TAIL reads. */
  readonly repository: string | undefined;
  /** Engines of CREATIVE_GENERATE, and the keys that stand in the environment. */
  readonly creative: CreativeConfig;
  /** The model that writes answers; undefined where they are extracted. */
  readonly model: ModelConfig | undefined;
  readonly prices: Prices;
  /** The server that sends mail to the owner; undefined where none is configured. */
  readonly mail: MailConfig | undefined;
}

/** Thrown for a value that stops the start; the message is the one line to print. */
export class BadConfig extends OperatorError {}

/** The name of that file in the data folder, where nothing else is set. */
export const checkpointFile = 'checkpoint';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  folder: string = process.cwd(),
): Config {
  const host = notEmpty('HOST', env['HOST'], 'an address of this machine') ?? '127.0.0.1';
  const port = readPort(env['PORT']);
  const proxies = parseTrustedProxies(env['COLOPHON_TRUST_PROXY'] ?? '');
  if (isFault(proxies)) throw new BadConfig(`${proxies.message} ${proxies.fix}`);
  const egressAllow = parseEgressAllow(env['COLOPHON_EGRESS_ALLOW'] ?? '');
  if (isFault(egressAllow)) throw new BadConfig(`${egressAllow.message} ${egressAllow.fix}`);
  const limits = parseLimits(env['COLOPHON_LIMITS'] ?? '');
  if (isFault(limits)) throw new BadConfig(`${limits.message} ${limits.fix}`);
  const dataFolder = resolve(folder, notEmpty('COLOPHON_DATA', env['COLOPHON_DATA'], 'a folder') ?? 'data');
  return {
    host,
    port,
    baseUrl: readBaseUrl(env['COLOPHON_BASE_URL'], host, port),
    dataFolder,
    checkpointPath:
      readCheckpointPath(env['COLOPHON_CHECKPOINT'], folder) ?? join(dataFolder, checkpointFile),
    readPolicy: () => readPolicy(env['COLOPHON_POLICY'], folder),
    witnessLogs: readWitnessLogs(env['COLOPHON_WITNESS_LOGS'], folder),
    databaseUrl: readDatabaseUrl(env['DATABASE_URL']),
    terminalKey: readSecret('COLOPHON_TERMINAL_KEY', env['COLOPHON_TERMINAL_KEY'], 16),
    secretKey: readSecret('COLOPHON_SECRET_KEY', env['COLOPHON_SECRET_KEY'], 32),
    ownerName: env['COLOPHON_OWNER_NAME'],
    rateLimit: oneOf('COLOPHON_RATE_LIMIT', env['COLOPHON_RATE_LIMIT'] ?? 'on', ['on', 'off']) === 'on',
    limits,
    trustedProxies: proxies,
    linkCheck: oneOf('COLOPHON_LINK_CHECK', env['COLOPHON_LINK_CHECK'] ?? 'off', ['on', 'off']) === 'on',
    audit: oneOf('COLOPHON_AUDIT', env['COLOPHON_AUDIT'] ?? 'on', ['on', 'off']) === 'on',
    logLevel: oneOf('COLOPHON_LOG', env['COLOPHON_LOG'] ?? 'info', logLevels),
    egressAllow,
    moduleFolder: readFolder('COLOPHON_FN_FOLDER', env['COLOPHON_FN_FOLDER'], folder),
    repository: readFolder('COLOPHON_REPO', env['COLOPHON_REPO'], folder),
    creative: {
      engines: readEngines(env['COLOPHON_CREATIVE_ENGINES']),
      keys: {
        OPENAI_API_KEY: env['OPENAI_API_KEY'],
        GOOGLE_GENERATIVE_AI_API_KEY: env['GOOGLE_GENERATIVE_AI_API_KEY'],
      },
      baseUrls: { openai: env['OPENAI_BASE_URL'], google: env['GOOGLE_GENERATIVE_AI_BASE_URL'] },
    },
    model: readModel(env),
    prices: readPrices(env['COLOPHON_MODEL_PRICES']),
    mail: readMail(env['COLOPHON_SMTP_URL'], env['COLOPHON_MAIL_FROM']),
  };
}

/** An empty value is refused: it would mean every address, or the working directory. */
function notEmpty(name: string, given: string | undefined, accepts: string): string | undefined {
  if (given?.trim() !== '') return given;
  throw new BadConfig(`${name} is empty; it accepts ${accepts}. Leave it unset for the usual one.`);
}

function readPort(given: string | undefined): number {
  const port = Number(given ?? '8787');
  if (Number.isInteger(port) && port >= 0 && port <= 65_535 && given !== '') return port;
  throw new BadConfig(`PORT is "${given}"; it accepts a whole number from 0 to 65535.`);
}

function readBaseUrl(given: string | undefined, host: string, port: number): string {
  if (given === undefined) return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new BadConfig(
      `COLOPHON_BASE_URL is "${given}"; it accepts an http or https URL without query and fragment.`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function readMail(url: string | undefined, from: string | undefined): MailConfig | undefined {
  if (url === undefined && from === undefined) return undefined;
  const parsed = URL.parse(url ?? '');
  if (url === undefined || parsed === null || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '')
    throw new BadConfig(
      'COLOPHON_SMTP_URL accepts smtp://user:password@host:port or smtps://…; unset it and COLOPHON_MAIL_FROM for no mail.',
    );
  if (from === undefined || !/^(?:[^<>\r\n]{0,100}<)?[^\s@<>]+@[^\s@<>]+>?$/.test(from))
    throw new BadConfig(
      'COLOPHON_MAIL_FROM accepts the address that mail is sent from, such as colophon@example.org.',
    );
  return { url, from };
}

function readDatabaseUrl(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (/^postgres(?:ql)?:\/\//.test(given)) return given;
  throw new BadConfig('DATABASE_URL accepts a postgres:// URL; leave it unset for the embedded store.');
}

const engineShape =
  /^([a-z][a-z0-9-]{0,39})=(?:(openai):(image)|(google):(image|video)|(local):(image|video|either))(?::([A-Za-z0-9._-]{1,80}))?$/;

/** `id=provider:form[:model]`, separated by commas. */
function readEngines(given: string | undefined): readonly Engine[] {
  if (given === undefined || given.trim() === '') return defaultEngines;
  const engines = given.split(',').map((item): Engine => {
    const [, id, ...parts] = engineShape.exec(item.trim()) ?? [];
    const [provider, form, model] = parts
      .slice(0, 6)
      .filter((part) => part !== undefined)
      .concat(parts[6] ?? []);
    if (id === undefined || provider === undefined || form === undefined)
      throw new BadConfig(
        `COLOPHON_CREATIVE_ENGINES cannot be read at "${item.trim()}"; it accepts id=provider:form[:model] such as veo=google:video, separated by commas.`,
      );
    const usual = defaultEngines.find((each) => each.provider === provider && each.form === form);
    return { id, provider, form, model: model ?? usual?.model ?? 'rules-1' } as Engine;
  });
  if (new Set(engines.map(({ id }) => id)).size === engines.length) return engines;
  throw new BadConfig('COLOPHON_CREATIVE_ENGINES names an engine twice; each identifier stands once.');
}

/** `provider:model`; the provider's key has to be there too. */
function readModel(env: Readonly<Record<string, string | undefined>>): ModelConfig | undefined {
  const given = env['COLOPHON_MODEL'] ?? '';
  if (given.trim() === '') return undefined;
  const [, provider, model] = /^(openai|google):([A-Za-z0-9._-]{1,80})$/.exec(given.trim()) ?? [];
  if (model === undefined)
    throw new BadConfig(
      `COLOPHON_MODEL is "${given}"; it accepts openai:<model> or google:<model>, such as openai:gpt-5-mini.`,
    );
  const variable = keyVariable[provider as ModelConfig['provider']] as string;
  const key = env[variable] ?? '';
  if (key === '')
    throw new BadConfig(
      `COLOPHON_MODEL is "${given}" and ${variable} is not set; it accepts the key of that provider.`,
    );
  const baseUrl = env[provider === 'google' ? 'GOOGLE_GENERATIVE_AI_BASE_URL' : 'OPENAI_BASE_URL'];
  return { provider: provider as ModelConfig['provider'], model, key, baseUrl };
}

/** `model=in/out`, dollars for a million tokens, separated by commas. */
function readPrices(given: string | undefined): Prices {
  const prices = new Map<string, { readonly in: number; readonly out: number }>();
  for (const item of (given ?? '').split(',').filter((each) => each.trim() !== '')) {
    const [, model, into, out] =
      /^([A-Za-z0-9._-]{1,80})=(\d{1,6}(?:\.\d{1,6})?)\/(\d{1,6}(?:\.\d{1,6})?)$/.exec(item.trim()) ?? [];
    if (model === undefined || prices.has(model))
      throw new BadConfig(
        `COLOPHON_MODEL_PRICES cannot be read at "${item.trim()}"; it accepts model=in/out in dollars for a million tokens, each model once, such as gpt-5-mini=0.25/2, separated by commas.`,
      );
    prices.set(model, { in: Number(into), out: Number(out) });
  }
  return prices;
}

function readFolder(name: string, given: string | undefined, from: string): string | undefined {
  if (given === undefined || given === '') return undefined;
  const path = resolve(from, given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new BadConfig(`${name} is "${given}"; it accepts a folder that exists.`);
}

/** The file itself is made by the first start. */
function readCheckpointPath(given: string | undefined, from: string): string | undefined {
  const named = notEmpty('COLOPHON_CHECKPOINT', given, 'a file in a folder that exists');
  if (named === undefined) return undefined;
  const path = resolve(from, named);
  const isFile = statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
  if (isFile && statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new BadConfig(`COLOPHON_CHECKPOINT is "${named}"; it accepts a file in a folder that exists.`);
}

/** A trust policy (C2SP tlog-policy) whose quorum the witnesses that have a URL can meet. */
function readPolicy(given: string | undefined, from: string): PolicyFile | undefined {
  const accepts = 'a file with a trust policy (C2SP tlog-policy)';
  const named = notEmpty('COLOPHON_POLICY', given, accepts);
  if (named === undefined) return undefined;
  const wrong = (reason: string): BadConfig =>
    new BadConfig(`COLOPHON_POLICY names ${named}, which ${reason}; it accepts ${accepts}.`);
  const path = resolve(from, named);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) throw wrong('is not a file');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw wrong(`cannot be read (${(error as Error).message})`);
  }
  const policy = parsePolicy(bytes);
  if (isRefusal(policy)) throw wrong(`is refused: ${policy.refused}`);
  if (!demandsWitnesses(policy)) throw wrong('demands no witness (quorum none)');
  const urls = policy.witnesses.filter(({ url }) => url !== undefined);
  for (const { name, url = '' } of urls)
    if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
      throw wrong(`gives the witness ${name} the URL "${url}", which is not http or https`);
  if (urls.length >= signaturesMax)
    throw wrong(
      `has ${urls.length} witnesses with a URL, and a checkpoint has room for ${signaturesMax - 1}`,
    );
  if (
    !meetsQuorum(
      policy,
      urls.map(({ name }) => name),
    )
  )
    throw wrong(`demands the quorum ${policy.quorum}, which its witnesses with a URL cannot meet`);
  return { file: bytes, policy };
}

/** A verifier key on each line; empty lines and those that begin with # are passed over. */
function readWitnessLogs(given: string | undefined, from: string): readonly VerifierKey[] {
  const accepts = "a file with a log's verifier key (name+hash+key) on each line";
  const named = notEmpty('COLOPHON_WITNESS_LOGS', given, accepts);
  if (named === undefined) return [];
  const path = resolve(from, named);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new BadConfig(`COLOPHON_WITNESS_LOGS is "${named}"; it accepts ${accepts}.`);
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.flatMap((line, i) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return [];
    const key = parseLogKey(text);
    if (!isRefusal(key)) return [key];
    throw new BadConfig(
      `COLOPHON_WITNESS_LOGS names ${named}, whose line ${i + 1} is refused: ${key.refused}; it accepts ${accepts}.`,
    );
  });
}

function readSecret(name: string, given: string | undefined, lengthMin: number): string | undefined {
  if (given === undefined || given === '') return undefined;
  if (given.length >= lengthMin) return given;
  throw new BadConfig(
    `${name} is shorter than ${lengthMin} characters; it accepts a random secret of at least that length.`,
  );
}

function oneOf(name: string, given: string, allowed: readonly string[]): string {
  if (allowed.includes(given)) return given;
  throw new BadConfig(`${name} is "${given}"; it accepts ${allowed.join(', ')}.`);
}
