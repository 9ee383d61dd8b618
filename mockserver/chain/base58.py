"""Base58, in which Solana writes addresses, signatures and block hashes."""

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DIGITS = {symbol: digit for digit, symbol in enumerate(_ALPHABET)}

# The longest text that 32 bytes can take.
_ADDRESS_LENGTH = 44
# The longest text that a transaction can take, in 1,232 bytes: reading takes time by its square.
_MOST_CHARACTERS = 1_683
# Converting ten digits at a time divides the number of big-integer operations by ten.
_CHUNK = 10


def base58_encode(raw: bytes) -> str:
    """Encode bytes in base58; each leading zero byte becomes a leading `1`."""
    number = int.from_bytes(raw, "big")
    symbols: list[str] = []
    while number:
        number, chunk = divmod(number, 58**_CHUNK)
        for _ in range(_CHUNK):
            chunk, digit = divmod(chunk, 58)
            symbols.append(_ALPHABET[digit])
    zeros = len(raw) - len(raw.lstrip(b"\0"))
    return "1" * zeros + "".join(reversed(symbols)).lstrip("1")


def base58_decode(text: str) -> bytes:
    """Return the bytes of a base58 text; ValueError says how it is too long, or names a wrong character."""
    if len(text) > _MOST_CHARACTERS:
        raise ValueError(f"base58 of {len(text)} characters is longer than {_MOST_CHARACTERS}.")
    number = 0
    for start in range(0, len(text), _CHUNK):
        symbols = text[start : start + _CHUNK]
        chunk = 0
        for symbol in symbols:
            digit = _DIGITS.get(symbol)
            if digit is None:
                raise ValueError(f"{symbol!r} is not a character of base58.")
            chunk = chunk * 58 + digit
        number = number * 58 ** len(symbols) + chunk
    zeros = len(text) - len(text.lstrip("1"))
    return bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def address_of(public_key: bytes) -> str:
    """Return the address of an ed25519 public key, which is its 32 bytes in base58."""
    if len(public_key) != 32:
        raise ValueError(f"A public key has 32 bytes, not {len(public_key)}.")
    return base58_encode(public_key)


def is_address(text: str) -> bool:
    """Whether the text is the base58 of 32 bytes."""
    if len(text) > _ADDRESS_LENGTH:
        return False
    try:
        return len(base58_decode(text)) == 32
    except ValueError:
        return False
