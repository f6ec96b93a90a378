/**
 * Our own rules, for what secretlint's preset leaves out: our tokens, authorization headers, private keys of
 * any armour, passwords in URLs of any scheme, and a few fixed formats. Strangers write the text, so every
 * pattern is bounded and takes time in proportion to it (contract §5 "Secrets").
 */
import { tokenAt } from './token-finder.ts';
import { family } from './secret-families.ts';
import { add, tokenAsUser, type Span } from './secret-span.ts';

/** Adds the secrets in `text` that our own rules for the families in `bits` find. */
export function findByOwnRules(text: string, bits: number, spans: Span[]): void {
  if (bits & family.own) ownTokens(text, spans);
  if (bits & family.authorization) authorizations(text, spans);
  if (bits & family.privateKey) privateKeys(text, spans);
  if (bits & family.url) urlPasswords(text, spans);
  if (bits & (family.aws | family.awsId | family.google | family.npm)) fixedPatterns(text, spans);
}

const shareToken = /(?<![A-Za-z0-9])sh\.[A-Za-z0-9_-]{48}(?![A-Za-z0-9])/g;
const ownKey = /(?<![A-Za-z0-9])[ct]k_[A-Za-z0-9_-]{24,200}/g;

function ownTokens(text: string, spans: Span[]): void {
  for (const match of text.matchAll(shareToken)) {
    add(spans, match.index, match.index + match[0].length, 'share-token', match[0]);
  }
  for (const match of text.matchAll(ownKey)) {
    const key = match[0];
    // 24 random base64url characters without both cases: one in 100,000. A snake_case name has one case.
    if (!(/[a-z]/.test(key.slice(3)) && /[A-Z]/.test(key)) && !/^.k_[0-9a-f]{32,}$/.test(key)) continue;
    // Markdown may leave its own `_` behind a key, which could be a character of the key.
    const { end, token } = tokenAt(text, match.index + 2) ?? { end: match.index + key.length, token: key };
    add(spans, match.index, end, key.startsWith('c') ? 'api-key' : 'terminal-key', token);
  }
}

const header =
  /authorization\\*["'`]?\s{0,8}[:=]\s{0,8}\\*["'`]?(?:bearer|basic|token|apikey)\s{1,8}([A-Za-z0-9\-._~+/]{8,4096}={0,2})/gi;
const bareBearer = /(?:Bearer|bearer|BEARER)\s{1,8}([A-Za-z0-9\-._~+/]{20,4096}={0,2})/g;
const words = /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[-_.~+/](?:[a-z]+|[A-Z]+|[A-Z][a-z]+))*$/;

function authorizations(text: string, spans: Span[]): void {
  for (const match of text.matchAll(header)) {
    if (!isPlaceholder(match[1] as string)) addLast(spans, match, 'authorization');
  }
  for (const match of text.matchAll(bareBearer)) {
    const credential = match[1] as string;
    if (/\d/.test(credential) && !isPlaceholder(credential)) addLast(spans, match, 'authorization');
  }
}

/** A fingerprint, or `your-access-token`, `xxxxxxxx`, `abc...`: what is written where a credential would stand. */
function isPlaceholder(credential: string): boolean {
  if (/^[a-z]{2,8}_[0-9a-f]{16}$/.test(credential)) return true;
  if (credential.includes('...') || /^(.)\1*$/.test(credential)) return true;
  if (credential.length > 64) return false;
  return /your|example|xxxx/i.test(credential) || (credential.length < 32 && words.test(credential));
}

const keyHeaderStart = '-----BEGIN';
const keyHeaderEnd = /PRIVATE KEY(?: BLOCK)?-----/y;
const keyBody = /(?:(?:\s|\\[nrt]|[>"',]){0,64}[A-Za-z0-9+/=]{16,4096}){1,1000}/y;

/** PEM and OpenPGP private keys: encrypted ones, quoted ones, and those whose end is missing. */
function privateKeys(text: string, spans: Span[]): void {
  for (let at = text.indexOf('PRIVATE KEY'); at !== -1; at = text.indexOf('PRIVATE KEY', at + 11)) {
    const before = text.slice(Math.max(0, at - 40), at);
    const start = before.lastIndexOf(keyHeaderStart) + at - before.length;
    keyHeaderEnd.lastIndex = at;
    if (!before.includes(keyHeaderStart) || !keyHeaderEnd.test(text)) continue;
    const from = keyHeaderEnd.lastIndex;
    const close = text.indexOf('-----', from);
    const closed = close !== -1 && close - from < 65_536 && text.startsWith('-----END', close);
    keyBody.lastIndex = from;
    const body = closed ? text.slice(from, close) : (keyBody.exec(text)?.[0] ?? '');
    let size = 0;
    for (const run of body.matchAll(/[A-Za-z0-9+/=]{16,}/g)) size += run[0].length;
    if (size < 48) continue;
    const tail = closed ? text.indexOf('-----', close + 5) : -1;
    add(spans, start, tail !== -1 && tail - close < 60 ? tail + 5 : from + body.length, 'privatekey');
  }
}

const userinfo = /:\/\/([^\s:/?#@"'<>`[]{0,100}):([^\s/"'<>`]{1,200})@(?=[A-Za-z0-9[%_])/g;
const variable = /\$\{|\{\{|^\{.*\}$|^%[A-Z_]+%$|^\$[A-Z_(]|^[*.]+$|^\[.*\]$/;
const namedPassword =
  /^(?:(?:my|your)[-_]?)?(?:pass|passwd|password|pw|pwd|secret|user|username|token|key|api[-_]?key)$|^changeme$/i;

/** Passwords in URLs of any scheme, with any characters a password may have. */
function urlPasswords(text: string, spans: Span[]): void {
  for (const match of text.matchAll(userinfo)) {
    const password = match[2] as string;
    if (password.length < 4 || password === match[1] || /^(.)\1*$/.test(password)) continue;
    if (password === tokenAsUser || variable.test(password) || namedPassword.test(password)) continue;
    const end = match.index + match[0].length - 1;
    add(spans, end - password.length, end, 'url-password');
  }
}

const awsAccessKeyId = /(?<![A-Za-z0-9])(?:AKIA|ASIA)(?!.{0,12}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z0-9])/g;
/** As the preset has it, and with the quotes of a JSON text inside a JSON string. */
const awsSecretKey =
  /secret_?access_?key\\*["'`]?\s{0,8}(?::|=>|=)\s{0,8}\\*["'`]?([A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/gi;
const googleApiKey = /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g;
const npmrcToken = /_authToken\s{0,8}=\s{0,8}\\*["']?(?=[^\d\s]{0,80}\d)([A-Za-z0-9_+/=.-]{16,400})/g;

function fixedPatterns(text: string, spans: Span[]): void {
  for (const match of text.matchAll(awsAccessKeyId)) add(spans, match.index, match.index + 20, 'aws');
  for (const match of text.matchAll(googleApiKey))
    add(spans, match.index, match.index + 39, 'google-api-key');
  for (const match of text.matchAll(awsSecretKey)) addLast(spans, match, 'aws');
  for (const match of text.matchAll(npmrcToken)) addLast(spans, match, 'npm');
}

/** The group at the end of a match. */
function addLast(spans: Span[], match: RegExpExecArray, kind: string): void {
  const end = match.index + match[0].length;
  add(spans, end - (match[1] as string).length, end, kind);
}
