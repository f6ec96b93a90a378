"""Computes the golden files beside it from the published rules alone: RFC 8785, RFC 6962 and the C2SP
formats signed-note, tlog-checkpoint and tlog-proof. It shares no code with the product, which is the point;
the files are checked in and frozen, so a run must leave them as they are.

    python3 make.py        (needs the package `cryptography` for Ed25519)
"""
import base64, functools, hashlib, json, os
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = os.path.dirname(os.path.abspath(__file__))

def sha(data): return hashlib.sha256(data).digest()
def b64(data): return base64.b64encode(data).decode()

def jcs(value):
    """RFC 8785 for the values used here: no fractions."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode('utf-16-be'))
        return '{' + ','.join(jcs(key) + ':' + jcs(value[key]) for key in keys) + '}'
    if isinstance(value, list): return '[' + ','.join(jcs(item) for item in value) + ']'
    if isinstance(value, str):
        short = {'\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '"': '\\"', '\\': '\\\\'}
        return '"' + ''.join(short.get(c) or (f'\\u{ord(c):04x}' if ord(c) < 32 else c) for c in value) + '"'
    if value is None: return 'null'
    if isinstance(value, bool): return 'true' if value else 'false'
    assert isinstance(value, int) and abs(value) < 2**53
    return str(value)

def leaf(text): return sha(b'\0' + text.encode())

def write(name, value):
    with open(os.path.join(HERE, name), 'w') as file:
        file.write(json.dumps(value, ensure_ascii=False, indent=1) + '\n')

# Entries and chains

def seal(draft, head):
    entry = {**draft, 'n': 0 if head is None else head['n'] + 1, 'prev': 'genesis' if head is None else head['hash']}
    if head and head['ts'] > entry['ts']: entry['ts'] = head['ts']
    text = jcs(entry)
    return {'draft': draft, 'head': head, 'text': text, 'hash': leaf(text).hex()}

def chain(drafts):
    links, head = [], None
    for draft in drafts:
        sealed = seal(draft, head)
        entry = json.loads(sealed['text'])
        head = {'n': entry['n'], 'hash': sealed['hash'], 'ts': entry['ts']}
        links.append({'entry': entry, 'hash': sealed['hash']})
    return links

INV = 'inv_aaaaaaaaaaaaaaaa'
SALTS = [bytes([i]) * 32 for i in (1, 2)]
REQUEST = {'body': 'zoology|claim 3 is unsupported', 'named': {'slug': 'zoology', 'depth': 2}}
RESPONSE = {'ok': True, 'note': 'naïve ✓', 'ids': ['c1', 'c2']}
def commit(salt, content): return sha(salt + jcs(content).encode()).hex()

drafts = [
    {'chain': INV, 'ts': '2026-01-31T09:00:00.000Z', 'actor': 'cap_0123456789abcdef', 'action': 'intent', 'key': 'OBJECTION_LOG',
     'status': 'running', 'request_sha': commit(SALTS[0], REQUEST)},
    {'chain': INV, 'ts': '2026-01-31T09:00:01.250Z', 'actor': 'system', 'action': 'outcome', 'status': 'success',
     'response_sha': commit(SALTS[1], RESPONSE), 'duration_ms': 1250},
    # Drawn before its predecessor was sealed: an entry is never dated before the one it follows.
    {'chain': INV, 'ts': '2026-01-31T08:59:59.999Z', 'actor': 'owner', 'action': 'repaired_by', 'by': 'inv_bbbbbbbbbbbbbbbb'},
]
unusual = [
    {'chain': 'div_k3', 'ts': '1970-01-01T00:00:00.000Z', 'actor': 'anonymous', 'op': 'divide', 'text_sha': sha('né\n'.encode()).hex()},
    {'chain': 'x', 'ts': '2026-02-28T23:59:59.999Z', 'actor': 'owner', 'action': 'a', 'z': None, 'é': '€ "q" \\ \u0007 \u2028', '10': 1, '9': -2,
     'deep': {'b': [True, False, [], {}], 'a': 9007199254740991}, 'minus': -9007199254740991, '\U0001f602': 'above', '\ufb33': 'the pair'},
]
links = chain(drafts)
heads = [None] + [{'n': l['entry']['n'], 'hash': l['hash'], 'ts': l['entry']['ts']} for l in links]
write('entries.json', {
    'sealed': [seal(draft, head) for draft, head in zip(drafts, heads)] + [seal(draft, None) for draft in unusual],
    'commitments': [{'salt': salt.hex(), 'content': content, 'content_sha': commit(salt, content)}
                    for salt, content in zip(SALTS, (REQUEST, RESPONSE))] + [
                    {'salt': '00' * 32, 'content': None, 'content_sha': commit(bytes(32), None)},
                    {'salt': 'ff' * 32, 'content': '', 'content_sha': commit(b'\xff' * 32, '')}],
})

def broken(name, at, reason, change):
    copy = json.loads(json.dumps(links))
    return {'name': name, 'links': change(copy), 'broken_at': at, 'reason': reason}

def with_entry(index, **members):
    def change(copy):
        copy[index]['entry'].update(members)
        return copy
    return change

def rehashed(index, **members):
    def change(copy):
        copy[index]['entry'].update(members)
        copy[index]['hash'] = leaf(jcs(copy[index]['entry'])).hex()
        return copy
    return change

write('chains.json', {
    'valid': {'links': links, 'head': links[-1]['hash']},
    'broken': [
        broken('an altered member', 1, 'hash does not match the entry', with_entry(1, status='failed')),
        broken('an altered entry with its hash made to fit', 2, 'prev does not match the hash before it', rehashed(1, status='failed')),
        broken('an altered actor of the first entry', 0, 'hash does not match the entry', with_entry(0, actor='owner')),
        broken('a missing first entry', 0, 'n is 1, not 0', lambda copy: copy[1:]),
        broken('a missing middle entry', 1, 'n is 2, not 1', lambda copy: [copy[0], copy[2]]),
        broken('two entries in the wrong order', 0, 'n is 1, not 0', lambda copy: [copy[1], copy[0], copy[2]]),
        broken('an entry of another chain', 2, f'chain is "inv_cccccccccccccccc", not {INV}', rehashed(2, chain='inv_cccccccccccccccc')),
        broken('a first entry with a predecessor', 0, 'prev of the first entry is not genesis', rehashed(0, prev='ab' * 32)),
        broken('an entry dated before its predecessor', 1, 'ts is before the entry before it', rehashed(1, ts='2026-01-31T08:00:00.000Z')),
        broken('an uppercase hash', 0, 'hash does not match the entry', lambda copy: [{**copy[0], 'hash': copy[0]['hash'].upper()}]),
    ],
})

# The log: leaf i is the hash of the entry text {"i":<i>}

@functools.cache
def mth(start, end):
    if end == start: return sha(b'')
    if end - start == 1: return leaf(jcs({'i': start}))
    k = 1
    while k * 2 < end - start: k *= 2
    return sha(b'\1' + mth(start, start + k) + mth(start + k, end))

def split(start, end):
    k = 1
    while k * 2 < end - start: k *= 2
    return k

def path(m, start, end):
    if end - start == 1: return []
    k = split(start, end)
    if m < k: return path(m, start, start + k) + [mth(start + k, end)]
    return path(m - k, start + k, end) + [mth(start, start + k)]

def subproof(m, start, end, whole):
    if m == end - start: return [] if whole else [mth(start, end)]
    k = split(start, end)
    if m <= k: return subproof(m, start, start + k, whole) + [mth(start + k, end)]
    return subproof(m - k, start + k, end, False) + [mth(start, start + k)]

sizes = [0, 1, 2, 3, 7, 255, 256, 257, 511, 512, 513, 600, 65535, 65536, 65537, 66000]
write('log.json', {
    'leaf': 'leaf i is SHA-256(0x00 || {"i":<i>})',
    'roots': [{'size': size, 'root': mth(0, size).hex()} for size in sizes],
    'inclusion': [{'index': i, 'size': s, 'proof': [h.hex() for h in path(i, 0, s)]}
                  for i, s in [(0, 1), (0, 2), (2, 3), (0, 3), (255, 256), (255, 257), (256, 257), (300, 600), (599, 600), (0, 66000), (65535, 66000), (65999, 66000)]],
    'consistency': [{'first': m, 'second': n, 'proof': [h.hex() for h in subproof(m, 0, n, True)]}
                    for m, n in [(1, 1), (1, 2), (2, 3), (3, 7), (6, 7), (255, 600), (256, 600), (257, 600), (512, 600), (600, 66000), (65536, 66000), (65537, 66000)]],
})

# Notes, checkpoints and proofs

ORIGIN = 'ledger.example/colophon'
SEED = bytes(range(32))
key = Ed25519PrivateKey.from_private_bytes(SEED)
public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
key_id = sha(f'{ORIGIN}\n'.encode() + b'\1' + public)[:4]
VERIFIER_KEY = f'{ORIGIN}+{key_id.hex()}+' + b64(b'\1' + public)
def note(text): return f'{text}\n\u2014 {ORIGIN} {b64(key_id + key.sign(text.encode()))}\n'
def checkpoint(size): return note(f'{ORIGIN}\n{size}\n{b64(mth(0, size))}\n')
def proof(i, size, extra=None):
    lines = ['c2sp.org/tlog-proof@v1'] + ([f'extra {b64(extra)}'] if extra is not None else []) + [f'index {i}']
    return '\n'.join(lines + [b64(h) for h in path(i, 0, size)]) + '\n\n' + checkpoint(size)

write('notes.json', {
    'seed': SEED.hex(), 'name': ORIGIN, 'verifier_key': VERIFIER_KEY,
    'note': {'text': 'An entry is not its content.\n\nIt says so.\n', 'signed': note('An entry is not its content.\n\nIt says so.\n')},
    'checkpoints': [{'size': size, 'root': mth(0, size).hex(), 'signed': checkpoint(size)} for size in (0, 1, 600, 66000)],
    'proofs': [{'index': i, 'size': s, 'text': jcs({'i': i}), 'leaf': mth(i, i + 1).hex(), 'proof': proof(i, s)}
               for i, s in [(0, 1), (300, 600), (65999, 66000)]],
    'proof_with_extra': {'index': 300, 'leaf': mth(300, 301).hex(), 'extra': b'read me not'.hex(), 'proof': proof(300, 600, b'read me not')},
})

# A receipt over the chain above, logged as entries 256 to 258 of a log of 600 whose other leaves are as above

def logged(texts, at, size):
    hashes = [leaf(texts[i - at]) if at <= i < at + len(texts) else leaf(jcs({'i': i})) for i in range(size)]
    def root(row):
        if len(row) == 1: return row[0]
        k = split(0, len(row))
        return sha(b'\1' + root(row[:k]) + root(row[k:]))
    def trail(m, row):
        if len(row) == 1: return []
        k = split(0, len(row))
        return trail(m, row[:k]) + [root(row[k:])] if m < k else trail(m - k, row[k:]) + [root(row[:k])]
    return root(hashes), lambda m: trail(m, hashes)

texts = [jcs(link['entry']) for link in links]
root, trail = logged(texts, 256, 600)
signed = note(f'{ORIGIN}\n600\n{b64(root)}\n')
write('receipt.json', {
    'verifier_key': VERIFIER_KEY,
    'receipt': {
        'id': INV, 'key': 'OBJECTION_LOG', 'status': 'success',
        'request': {'body': REQUEST, 'content_sha': commit(SALTS[0], REQUEST), 'salt': SALTS[0].hex()},
        'response': {'result': RESPONSE, 'content_sha': commit(SALTS[1], RESPONSE), 'salt': SALTS[1].hex()},
        'entries': [{**link['entry'], 'hash': link['hash']} for link in links],
        'proof': {'ok': True, 'entry': links[2]['entry'], 'entry_hash': links[2]['hash'], 'log_index': 258,
                  'tlog_proof': '\n'.join(['c2sp.org/tlog-proof@v1', 'index 258'] + [b64(h) for h in trail(258)]) + '\n\n' + signed},
    },
})
