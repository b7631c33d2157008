#!/usr/bin/env python3
"""Verifies a proof file of Mirzam (docs/proofs.md) with Python's standard library alone, and asks nobody."""
import argparse
import decimal
import json
import re
import sys
import time

STEPS = 'file', 'content', 'asset', 'event', 'receipt', 'header', 'transaction', 'signature', 'expected'
KINDS = {'create': 'entity', 'update': 'fragment', 'query': 'query', 'retrieve': 'query', 'upsert': 'entity',
         'replace': 'entity', 'notify': 'entity'}
NUMBER, BYTES, WORD, ADDRESS = r'\d+', '"0x([0-9a-f]{2})+"', '"0x[0-9a-f]{64}"', '"0x[0-9a-f]{40}"'
FORM = {'mirzamProof': '1', 'chainId': NUMBER, 'operation': f'"({"|".join(KINDS)})"', 'entityId': '".+"',
        'hash': WORD, 'assetId': WORD, 'block': {'number': NUMBER, 'hash': WORD, 'header': BYTES},
        'from': ADDRESS, 'contract': ADDRESS, 'recordedAt': r'"\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z"',
        'transaction': {'index': NUMBER, 'proof': [BYTES, 1]}, 'receipt': {'proof': [BYTES, 1]}}
NAMES = {'block_hash': 'block hash', 'contract': 'contract', 'from': 'signer'}
UNREADABLE = 'It cannot be read: it has another form.'
TOPIC = '0xa3865c00e01495fc2b86502cae36a4edb139f748682e7d80725a3d6571a482fa'  # Timestamp(uint256,uint256)
SELECTOR = '0xb97da33b'  # timestamp(uint256,uint256)
FIELDS = {0: (9, 3), 1: (11, 4), 2: (12, 5), 3: (14, 5), 4: (13, 5)}  # Of a transaction by type: all, the receiver
P, N = 2**256 - 2**32 - 977, 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141  # secp256k1
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def need(fits, sentence=UNREADABLE):
    if not fits:
        raise ValueError(sentence)


def keccak(data):  # Keccak-256, as chains use it: its padding is another one than that of SHA-3
    padded = data + (b'\x81' if len(data) % 136 == 135 else b'\x01' + bytes(134 - len(data) % 136) + b'\x80')
    a, mask = [0] * 25, 2**64 - 1
    for start in range(0, len(padded), 136):
        for i in range(17):
            a[i] ^= int.from_bytes(padded[start + 8 * i:start + 8 * i + 8], 'little')
        lfsr = 1
        for _ in range(24):
            c = [a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20] for x in range(5)]
            a = [a[i] ^ c[i % 5 - 1] ^ ((c[(i + 1) % 5] << 1 | c[(i + 1) % 5] >> 63) & mask) for i in range(25)]
            x, y, lane = 1, 0, a[1]
            for t in range(24):
                x, y, by = y, (2 * x + 3 * y) % 5, (t + 1) * (t + 2) // 2 % 64
                lane, a[x + 5 * y] = a[x + 5 * y], (lane << by | lane >> (64 - by)) & mask
            a = [a[i] ^ (~a[i - i % 5 + (i + 1) % 5] & a[i - i % 5 + (i + 2) % 5]) for i in range(25)]
            for j in range(7):
                a[0] ^= (lfsr & 1) << (2**j - 1)
                lfsr = lfsr << 1 ^ (0x171 if lfsr >> 7 else 0)
    return b''.join(lane.to_bytes(8, 'little') for lane in a[:4])


def big(number):
    return number.to_bytes((number.bit_length() + 7) // 8, 'big')


def encode(item):  # The RLP of bytes or of a list
    body, first = (b''.join(map(encode, item)), 0xc0) if isinstance(item, list) else (item, 0x80)
    if first == 0x80 and len(body) == 1 and body[0] < 0x80:
        return body
    size = big(len(body)) if len(body) > 55 else b''
    return bytes([first + (55 + len(size) if size else len(body))]) + size + body


def items_in(body, level=0):  # The items that are one after the other in RLP, in lists of at most 64 levels
    items, at = need(level <= 64) or [], 0
    while at < len(body):
        first, short = body[at], body[at] % 0x40
        start = at if first < 0x80 else at + 1 + max(0, short - 55)
        size = 1 if first < 0x80 else short if short < 56 else int.from_bytes(body[at + 1:start], 'big')
        at = start + size
        items.append(items_in(body[start:at], level + 1) if first >= 0xc0 else body[start:at])
    return items


def decode(data):  # The list in its RLP. There is one encoding of a list: it is encoded again
    need(data[0] >= 0xc0 and encode(items := items_in(data)[0]) == data)
    return items


def integer(item):
    need(type(item) is bytes and item[:1] != b'\0' and len(item) <= 32)
    return int.from_bytes(item, 'big')


def typed(value):  # Its type and its list (EIP-2718)
    return (0, decode(value)) if value[0] >= 0xc0 else (value[0] or -1, decode(value[1:]))


def root_of(proof, index, what):  # The root of the trie in which the nodes are the way to the index
    path, root, wanted = encode(big(index)).hex(), b'', None
    for i, node in enumerate(proof, 1):
        items, own, is_leaf = decode(node), ' ', False
        if len(items) == 17 and path:
            own, after = path[0], items[int(path[0], 16)]
        elif len(items) == 2 and re.match('[13]|[02]0', items[0].hex()):
            flag, after = int(items[0].hex()[0]), items[1]
            own, is_leaf = items[0].hex()[2 - flag % 2:], flag > 1
        fits = wanted in (None, found := keccak(node)) and path.startswith(own) and is_leaf == (i == len(proof))
        need(fits and (own == path or not is_leaf), f'The proof of the {what} breaks at node {i}.')
        path, root, wanted = path[len(own):], root or found, after
    return root


def add(a, b):  # The sum of two points of the curve; of None and a point, the point
    if a is None:
        return b
    slope = (3 * a[0]**2 * pow(2 * a[1], -1, P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, P)) % P
    x = (slope**2 - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def signer(digest, parity, r, s):  # The address of the account; of the two values of s, chains take the lower one
    y = pow(r**3 + 7, (P + 1) // 4, P)
    need(parity < 2 and 0 < r < N and 0 < s <= N // 2 and (y * y - r**3 - 7) % P == 0)
    key, inverse = None, pow(r, -1, N)
    for factor, point in (-int.from_bytes(digest, 'big'), G), (s, (r, y if y % 2 == parity else P - y)):
        for bit in reversed(bin(factor * inverse % N)[2:]):
            key, point = add(key, point) if bit == '1' else key, add(point, point)
    return '0x' + keccak(key[0].to_bytes(32, 'big') + key[1].to_bytes(32, 'big'))[12:].hex()


def i_json(data):  # The value in a text that all readers read in the same way (RFC 7493)
    def whole(digits):
        need(len(digits) < 18 and abs(int(digits)) < 2**53, 'It cannot be read: an integer is beyond 2^53 - 1.')
        return int(digits)

    def unique(members):
        return need(len(dict(members)) == len(members), 'It cannot be read: a name is there twice.') or dict(members)
    value = json.loads(data.decode('utf-8-sig'), object_pairs_hook=unique, parse_int=whole, parse_constant=whole)
    return need(json.dumps(value, ensure_ascii=False).encode()) or value  # An unpaired surrogate has no UTF-8.


def canonical(value, depth=0):  # The canonical form of a JSON value (RFC 8785)
    need(depth + isinstance(value, (dict, list)) <= 500, 'It cannot be read: it is nested over 500 levels.')
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode('utf-16-be'))
        return '{' + ','.join([canonical(name) + ':' + canonical(value[name], depth + 1) for name in names]) + '}'
    if isinstance(value, list):
        return '[' + ','.join([canonical(one, depth + 1) for one in value]) + ']'
    if not isinstance(value, float) or value == 0:
        return '0' if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
    sign, digits, exponent = decimal.Decimal(repr(value)).as_tuple()  # As ECMAScript writes a double.
    digits = ''.join(map(str, digits))
    point, digits = len(digits) + exponent, digits.rstrip('0')
    if -6 < point <= 21:
        digits = digits.ljust(point, '0') if point > 0 else '0' * (1 - point) + digits
        return '-' * sign + digits[:max(point, 1)] + '.' * (len(digits) > max(point, 1)) + digits[max(point, 1):]
    return '-' * sign + digits[0] + '.' * (len(digits) > 1) + digits[1:] + f'e{point - 1:+d}'


def check(value, form, place):  # Ends the step unless the value has exactly this form
    kind, fault = type(form), f'The file is not a proof: {place} has another form.'
    if kind is str:  # 1.0, 1e0 and -0.0 are integers too.
        is_whole = type(value) is float and abs(value) < 2**53 and value == int(value)
        return need(re.fullmatch(form, json.dumps(int(value) if is_whole else value)), fault)
    need(type(value) is kind and (len(value) >= form[1] if kind is list else value.keys() == form.keys()), fault)
    for name in form if kind is dict else range(len(value)):
        check(value[name], form[0 if kind is list else name], f'{place}.{name}')


def unhex(*texts):
    return [bytes.fromhex(text[2:]) for text in texts]


def verify(source, kind, content, given):  # Yields what each step has found
    file = i_json(source)
    is_batch = isinstance(file, dict) and file.get('operation') in ['upsert', 'replace', 'notify']
    check(file, {**FORM, 'batch': {'proof': [WORD, 0]}} if is_batch else FORM, 'it')
    yield 'The file has the form of a proof.'
    operation, entity, name, own, contract = map(file.get, ('operation', 'entityId', 'assetId', 'hash', 'contract'))
    index, number, chain = int(file['transaction']['index']), int(file['block']['number']), int(file['chainId'])
    need(kind == KINDS[operation], f'The operation {operation} records the kind {KINDS[operation]}, not {kind}.')
    value = i_json(content)
    need(type(value) is dict)
    about = value.get('id') if kind == 'entity' else value.get('entityId') if operation == 'retrieve' else entity
    need(about == entity and (operation != 'query' or 'entityId' not in value), f'The {kind} is of another entity.')
    found = '0x' + keccak(canonical(value).encode()).hex()
    need(found == own, f'The {kind} has the hash {found}, and in the file {own}.')
    yield f'The {kind} has the hash {own}: keccak-256 of its canonical form (RFC 8785).'
    node = keccak(keccak(*unhex(own)) if is_batch else entity.encode())
    for other in unhex(*file['batch']['proof']) if is_batch else ():
        node = keccak(min(node, other) + max(node, other))
    what = 'root of the batch' if is_batch else 'keccak-256 of the id of the entity'
    need('0x' + node.hex() == name, f'The {what} is 0x{node.hex()}, and in the file {name}.')
    yield f'The {what} is {name}, its name in the contract.'
    recorded = name if is_batch else own
    transaction, receipt = (unhex(*file[which]['proof']) for which in ('transaction', 'receipt'))
    receipt_type, (status, _, _, logs) = typed(decode(receipt[-1])[-1])
    need(integer(status) == 1, 'The receipt does not say success.')
    wanted, events = unhex(contract, TOPIC, name, recorded), [[address] + topics for address, topics, _ in logs]
    need(type(logs) is list and all(type(part) is bytes for event in events for part in event))
    need(wanted in events, 'The receipt has no such event.')
    yield f'The receipt has the event Timestamp of the contract {contract} with this name and hash.'
    root = root_of(receipt, index, 'receipt')
    yield f'The receipt has the index {index} under the root 0x{root.hex()} of receipts.'
    [raw], block_hash = unhex(file['block']['header']), file['block']['hash']
    found, header = '0x' + keccak(raw).hex(), decode(raw)
    need(found == block_hash, f'The hash of the header is {found}, and in the file {block_hash}.')
    need(len(header) > 14 and header[5] == root, 'The header has another root of receipts.')
    need(integer(header[8]) == number, f'The header has the number {integer(header[8])}, and the file {number}.')
    ms = integer(header[11]) // 10**6 if integer(header[11]) > 10**15 else integer(header[11]) * 1000
    found = need(ms < 2534023008e5) or time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ms // 1000)) + f'.{ms % 1000:03}Z'
    need(found == file['recordedAt'], f'The header has the time {found}, and the file another one.')
    yield f'The header has this root, the number {number} and the time {found}; its hash is {block_hash}.'
    raw = decode(transaction[-1])[-1]
    (kind, fields), (size, to) = typed(raw), FIELDS[typed(raw)[0]]
    need(len(fields) == size and type(fields[to]) is type(fields[to + 2]) is bytes and (kind or integer(fields[-3]) > 34))
    need(header[4] == root_of(transaction, index, 'transaction'), 'The header has another root of transactions.')
    v, r, s = map(integer, fields[-3:])
    parity, for_chain = ((v - 35) % 2, (v - 35) // 2) if kind == 0 else (v, integer(fields[0]))
    need(kind == receipt_type, 'The transaction and the receipt have different types.')
    need(for_chain == chain, f'The transaction is for the chain {for_chain}, and in the file it is {chain}.')
    call = [wanted[0], b''.join(unhex(SELECTOR, name, recorded))]
    need(fields[to:to + 3:2] == call, 'The transaction does not make this call of the contract.')
    yield f'The transaction 0x{keccak(raw).hex()} has this index, and makes this call of the contract on chain {chain}.'
    signed = encode(fields[:-3] + [big(chain), b'', b'']) if kind == 0 else bytes([kind]) + encode(fields[:-3])
    found = signer(keccak(signed), parity, r, s)
    need(found == file['from'], f'The account {found} has signed, and in the file it is {file["from"]}.')
    yield f'The account {found} has signed the transaction.'
    for what, wanted in given.items():
        need(wanted == file.get(what, block_hash), f'The {NAMES[what]} is not the given one.')
    yield f'As given: {", ".join(map(NAMES.get, given)) or "nothing was"}.'


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--proof', required=True, type=argparse.FileType('rb'))
    contents = parser.add_mutually_exclusive_group(required=True)
    for kind in ('entity', 'fragment', 'query'):
        contents.add_argument('--' + kind, type=argparse.FileType('rb'))
    for name, form in ('block-hash', '0x[0-9a-f]{64}'), ('contract', '0x[0-9a-f]{40}'), ('from', '0x[0-9a-f]{40}'):
        parser.add_argument('--' + name, type=lambda text, form=form: re.fullmatch(form, text.lower())[0])
    given = {name: value for name, value in vars(parser.parse_args()).items() if value is not None}
    [kind] = given.keys() & set(KINDS.values())
    (source, content), done = (given.pop(name).read() for name in ('proof', kind)), 0
    sys.setrecursionlimit(10_000)
    try:
        for done, found in enumerate(verify(source, kind, content, given), 1):
            print(f'ok       {STEPS[done - 1]:11}  {found}')
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError, OSError) as error:
        sentence = error if type(error) is ValueError and str(error).endswith('.') else UNREADABLE
        print(f'refused  {STEPS[done]:11}  {sentence}\nNOT VERIFIED: the step {STEPS[done]} fails')
        sys.exit(1)
    file = i_json(source)
    print(f'VERIFIED under the block hash {file["block"]["hash"]}')
    print(f'  only the file says: the operation is {file["operation"]}, of the kind {kind}')
    for name, what in NAMES.items():
        print('  as given:     ' if name in given else '  left to trust:', what, file.get(name, file['block']['hash']))
