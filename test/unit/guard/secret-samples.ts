/**
 * Made-up secrets, at least three for each rule of secretlint's recommended preset and for each rule of our
 * own. Their bodies are drawn from a small generator and their prefixes are cut in two, so that neither this
 * file nor its history holds anything that a scanner of repositories would take for a secret.
 */

export interface Sample {
  /** The rule of the preset that knows it, by short name, or `own`. */
  readonly rule: string;
  /** The kind that a find is reported under. */
  readonly kind: string;
  /** The text around the secret that the rule needs, the secret included. */
  readonly text: string;
  /** What must be gone. */
  readonly secret: string;
}

const alphanumeric = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const base64url = `${alphanumeric}-_`;
const base64 = `${alphanumeric}+/`;
const digits = '0123456789';
const hex = `${digits}abcdef`;
const letters = alphanumeric.slice(0, 52);
const upper = `${alphanumeric.slice(26, 52)}${digits}`;

let state = 20_261_120;

/** `length` characters of `alphabet`, the same in every run, that begin and end with a letter or digit. */
export function body(length: number, alphabet = alphanumeric): string {
  let out = '';
  for (let i = 0; i < length; i++) {
    const edge = i === 0 || i === length - 1;
    const allowed = edge ? alphabet.replaceAll(/[^A-Za-z0-9]/g, '') : alphabet;
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    out += allowed[(state >>> 8) % allowed.length];
  }
  return out;
}

function whole(rule: string, secret: string, kind = rule): Sample {
  return { rule, kind, text: secret, secret };
}

function inside(rule: string, before: string, secret: string, after: string, kind = rule): Sample {
  return { rule, kind, text: before + secret + after, secret };
}

/** The armoured form of `type`, such as `RSA PRIVATE KEY`, with lines of 64 characters. */
export function pem(type: string, content: string, newline = '\n'): string {
  const lines = content.match(/.{1,64}/g) ?? [];
  return [`-----${'BEGIN'} ${type}-----`, ...lines, `-----${'END'} ${type}-----`].join(newline);
}

const rsa = pem('RSA PRIVATE' + ' KEY', `MI${body(820, base64)}`);
const pkcs8 = pem('PRIVATE' + ' KEY', `MI${body(218, base64)}`);
const openssh = pem('OPENSSH PRIVATE' + ' KEY', `b3BlbnNzaC1rZXktdjE${body(360, base64)}`);

function serviceAccount(key: string, name: string): string {
  const account = {
    type: 'service_account',
    project_id: name,
    private_key_id: body(40, hex),
    private_key: key,
  };
  return JSON.stringify(account, null, 2);
}

function onePassword(): string {
  const payload = {
    email: `${body(13)}@example.lcl`,
    secretKey: `A3-${body(34, upper)}`,
    muk: { k: body(43) },
  };
  // The rule wants the closing brace to fall on a whole group, so that the text ends in `fQ`.
  let json = JSON.stringify(payload);
  while (json.length % 3 !== 1) json = json.replace('"email":"', '"email":"x');
  return `ops${'_'}${Buffer.from(json).toString('base64')}`;
}

function thrice(make: (n: number) => Sample): Sample[] {
  return [0, 1, 2].map(make);
}

function pick<T>(items: readonly [T, T, T], n: number): T {
  return items[n] as T;
}

const preset: readonly Sample[] = [
  ...thrice((n) => {
    const name = pick(['aws_secret_access_key = "', 'AWS_SECRET_ACCESS_KEY=', 'SecretAccessKey: '], n);
    return inside('aws', name, body(40), n === 0 ? '"' : '');
  }),
  ...thrice((n) => {
    const key = JSON.stringify(pick([rsa, pkcs8, openssh], n)).slice(1, -1);
    const [before = '', after = ''] = serviceAccount('@@', `project-${n}`).split('@@');
    return inside('gcp', before, key, after, 'privatekey');
  }),
  ...[rsa, pkcs8, openssh].map((key) => whole('privatekey', key)),
  ...thrice(() => whole('npm', `npm${'_'}${body(36)}`)),
  inside('npm', 'git+https://', body(40, hex), ':x-oauth-basic@github.com/example/private.git'),
  inside('basicauth', 'https://alice:', body(12), '@example.org/private'),
  inside('basicauth', 'ftp://build_bot:', body(20), '@files.example.net'),
  inside('basicauth', 'http://svc-7:', body(9, base64url), '@10.1.2.3/metrics'),
  whole('slack', `xox${'b'}-${body(12, digits)}-${body(13, digits)}-${body(24)}`),
  whole('slack', `xap${'p'}-1-${body(11, upper)}-${body(13, digits)}-${body(40, hex)}`),
  whole('slack', `https://hooks.slack${'.com'}/services/T${body(9, upper)}/B${body(9, upper)}/${body(24)}`),
  whole('slack', `HTTPS://HOOKS.SLACK${'.COM'}/services/T${body(9, upper)}/B${body(9, upper)}/${body(24)}`),
  ...thrice(() => whole('sendgrid', `S${'G'}.${body(22)}.${body(21)}${'-'}${body(21)}`)),
  ...thrice((n) => whole('shopify', `shp${pick(['pa', 'at', 'ss'], n)}${'_'}${body(32 + n, hex)}`)),
  whole('shopify', `shp${'ca'}${'_'}${body(38)}`),
  ...thrice((n) => whole('stripe', `${pick(['sk', 'rk', 'sk'], n)}${'_'}live_${body(24 + n * 30)}`)),
  whole('stripe', `rk${'_'}test_${body(30)}`),
  ...['p', 'o', 'u', 's', 'r'].map((type) => whole('github', `gh${type}${'_'}${body(36)}`)),
  whole('github', `github${'_'}pat_${body(82)}`),
  whole('github', `gh${'s'}_${body(7, digits)}_${body(40, base64url)}.${body(300, base64url)}.${body(86)}`),
  ...thrice((n) => whole('gitlab', `glp${'at'}-${body(20 + n * 9, base64url)}`)),
  whole('grafana', `glc${'_'}${body(60)}=`),
  whole('grafana', `glc${'_'}eyJ${body(120)}==`),
  whole('grafana', `gls${'a'}_${body(32)}_${body(8, hex)}`),
  whole('openai', `sk-${body(20)}T3Blbk${'FJ'}${body(20)}`),
  whole('openai', `sk-${'proj'}-${body(74, base64url)}T3Blbk${'FJ'}${body(74, base64url)}`),
  whole('openai', `sk-${'svcacct'}-${body(58, base64url)}T3Blbk${'FJ'}${body(58, base64url)}`),
  ...thrice((n) => whole('anthropic', `sk-${'ant'}-api0${n + 3}-${body(93, base64url)}AA`)),
  ...thrice(() => whole('groq', `gs${'k'}_${body(52)}`)),
  ...thrice(() => whole('huggingface', `h${'f'}_${body(34, letters)}`)),
  ...thrice((n) => whole('linear', `lin${'_'}api_${body(40 + n)}`)),
  ...thrice(() => whole('notion', `nt${'n'}_${body(11, digits)}${body(35)}`)),
  ...thrice(() => whole('1password', onePassword())),
  inside('database-connection-string', 'postgres://app:', body(16), '@db.internal:5432/ledger'),
  inside(
    'database-connection-string',
    'mongodb+srv://app:',
    `${body(8)}!${body(7)}`,
    '@cluster0.example.net/x?w=1',
  ),
  inside('database-connection-string', 'jdbc:mysql://report:', body(10), '@10.0.0.5/sales'),
  ...thrice((n) => {
    const length = pick([95, 150, 95], n);
    return whole('hashicorp-vault', `hv${pick(['s', 'b', 'r'], n)}${'.'}${body(length, base64url)}`);
  }),
  ...['p', 'i', 'a', 'r', 'k'].map((type) => whole('vercel', `vc${type}${'_'}${body(24)}`)),
  whole('databricks', `dap${'i'}${body(32, hex)}`),
  whole('databricks', `dap${'i'}${body(32, hex)}-2`),
  whole('databricks', `dap${'i'}${body(32, hex).toUpperCase()}`),
  ...thrice(() => whole('docker', `dckr${'_'}pat_${body(27, base64url)}`)),
  ...thrice((n) => whole('figma', `fig${'d'}_${body(40 + n * 20, base64url)}`)),
  ...thrice((n) => whole('cloudflare', `cf${pick(['k', 'ut', 'at'], n)}${'_'}${body(40)}${body(8, hex)}`)),
  ...thrice((n) => {
    return whole('tailscale', `tske${'y'}-${pick(['api', 'auth', 'client'], n)}-${body(17)}-${body(32)}`);
  }),
];

const own: readonly Sample[] = [
  ...thrice(() => whole('own', `s${'h'}.${body(48, base64url)}`, 'share-token')),
  ...thrice(() => whole('own', `c${'k'}_${body(49, base64url)}`, 'api-key')),
  ...thrice(() => whole('own', `t${'k'}_${body(43, base64url)}`, 'terminal-key')),
  inside('own', 'Authorization: Bearer ', body(32), '', 'authorization'),
  inside('own', "-H 'authorization: bearer ", `${body(20, base64url)}.${body(30)}`, "'", 'authorization'),
  inside('own', '"Authorization": "Basic ', `${body(22)}==`, '"', 'authorization'),
  inside('own', 'It was sent as `Bearer ', `${body(30)}1a`, '` by the client', 'authorization'),
  inside('own', 'redis://:', body(14), '@cache.internal:6379/0', 'url-password'),
  inside('own', 'amqps://worker:', `${body(5)}%40${body(5)}!`, '@mq.example.org/vhost', 'url-password'),
  inside('own', 'https://bob:', `p@${body(8)}`, '@example.org/x', 'url-password'),
  whole('own', pem('ENCRYPTED PRIVATE' + ' KEY', body(300, base64)), 'privatekey'),
  whole('own', pem('PGP PRIVATE' + ' KEY BLOCK', body(700, base64)), 'privatekey'),
  whole('own', pem('EC PRIVATE' + ' KEY', `MHc${body(157, base64)}`, '\r\n'), 'privatekey'),
  whole('own', `AKI${'A'}${body(16, upper)}`, 'aws'),
  whole('own', `ASI${'A'}${body(16, upper)}`, 'aws'),
  whole('own', `AKI${'A'}${body(16, upper)}`, 'aws'),
  ...thrice(() => whole('own', `AIz${'a'}${body(35, base64url)}`, 'google-api-key')),
  inside(
    'own',
    '//registry.example.org/:_authToken=',
    `${body(8, hex)}-${body(4, digits)}-${body(12, hex)}`,
    '',
    'npm',
  ),
  inside('own', '_authToken = "', `${body(20)}7${body(10)}`, '"', 'npm'),
  inside('own', ':_authToken=', `${body(30)}0`, '', 'npm'),
];

export const samples: readonly Sample[] = [...preset, ...own];
