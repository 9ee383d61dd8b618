"""The contract ABI and typed data, as viem encodes, decodes and hashes them."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from mockserver.chain.abi.functions import (
    Function,
    decode_call,
    decode_values,
    encode_call,
    encode_values,
    event_topic,
    find_function,
    parse_function,
)
from mockserver.chain.abi.reverts import decode_revert, encode_panic, encode_reason
from mockserver.chain.addresses import checksum_of
from mockserver.crypto.messages import typed_data_digest
from mockserver.crypto.secp256k1 import sign

pytestmark = pytest.mark.clients

Viem = Callable[[str, list[Any]], list[Any]]
Json = dict[str, Any]

ATOMS = ("address", "bool", "bytes", "string", "bytes1", "bytes4", "bytes20", "bytes32", "uint", "int")
WIDTHS = range(8, 257, 8)
TEXTS = ("", "ok", "Grüße, 世界 🦄", 'a "quoted"\n\\ text', "x" * 32, "y" * 70)


def hexed(raw: bytes) -> str:
    return f"0x{raw.hex()}"


class Maker:
    """Makes types and values of them, the same in every run."""

    def __init__(self, kind: str) -> None:
        self._random = random.Random(kind)
        self.pick = self._random.choice

    def count(self, least: int, most: int) -> int:
        return self._random.randint(least, most)

    def raw(self, size: int) -> bytes:
        return self._random.randbytes(size)

    def atom(self) -> str:
        word = self.pick(ATOMS)
        return f"{word}{self.pick(WIDTHS)}" if word in ("uint", "int") else word

    def parameter(self, name: str, depth: int = 0) -> Json:
        """An entry of a JSON ABI, with arrays of arrays and tuples in tuples."""
        dimensions = "".join(
            self.pick(("[]", "[1]", "[2]", "[3]")) for _ in range(self.pick((0, 0, 0, 1, 2)))
        )
        if depth < 3 and self.count(0, 2) == 0:
            named = self.pick((True, True, False))
            components = [
                self.parameter(f"part{i}" if named else "", depth + 1) for i in range(self.count(1, 3))
            ]
            return {"name": name, "type": f"tuple{dimensions}", "components": components}
        return {"name": name, "type": f"{self.atom()}{dimensions}"}

    def parameters(self, most: int = 4) -> list[Json]:
        return [self.parameter(f"given{i}") for i in range(self.count(0, most))]

    def value(self, parameter: Json) -> Any:
        """A value of a parameter: integers, bytes, text; tuples as objects if their parts have names."""
        item, bracket, length = parameter["type"].rpartition("[")
        if bracket:
            count = self.count(0, 3) if length == "]" else int(length[:-1])
            return [self.value(parameter | {"type": item}) for _ in range(count)]
        if item := parameter.get("components"):
            values = [self.value(component) for component in item]
            names = [component["name"] for component in item]
            return dict(zip(names, values, strict=True)) if all(names) else values
        return self.plain(parameter["type"])

    def plain(self, type_: str) -> Any:
        match type_:
            case "address":
                return checksum_of(self.raw(20))
            case "bool":
                return self.count(0, 1) == 1
            case "string":
                return self.pick(TEXTS)
            case "bytes":
                return self.raw(self.count(0, 70))
            case _ if type_.startswith("bytes"):
                return self.raw(int(type_[5:]))
        bits = int(type_.lstrip("uint"))
        if type_.startswith("uint"):
            return self.pick((0, 1, (1 << bits) - 1, self._random.getrandbits(bits)))
        half = 1 << bits - 1
        return self.pick((0, -1, -half, half - 1, self._random.randrange(-half, half)))


def in_json(value: Any) -> Any:
    """A value as requests carry it: bytes in hex, large integers as text."""
    match value:
        case bytes():
            return hexed(value)
        case int() if abs(value) >= 1 << 53:
            return str(value)
        case dict():
            return {name: in_json(each) for name, each in value.items()}
        case list() | tuple():
            return [in_json(each) for each in value]
    return value


def listed(value: Any) -> Any:
    """A value with all tuples as lists, and bytes in hex."""
    match value:
        case bytes():
            return hexed(value)
        case dict():
            return [listed(each) for each in value.values()]
        case list() | tuple():
            return [listed(each) for each in value]
    return value


def test_viem_encodes_calls_and_decodes_results_alike(viem: Viem) -> None:
    maker = Maker("functions")
    cases: list[Json] = []
    for i in range(80):
        entry: Json = {
            "type": "function",
            "name": f"play{i}",
            "inputs": maker.parameters(),
            "outputs": maker.parameters(),
            "stateMutability": "nonpayable",
        }
        args, results = (list(map(maker.value, entry[part])) for part in ("inputs", "outputs"))
        cases.append({"abi": [entry], "name": entry["name"], "args": args, "results": results})

    for case, theirs in zip(cases, viem("call", cases), strict=True):
        function = find_function(case["abi"], case["name"], len(case["args"]))
        types = [parameter.type for parameter in function.outputs]
        data, answer = (bytes.fromhex(theirs[name][2:]) for name in ("data", "answer"))

        assert hexed(encode_call(function, in_json(case["args"]))) == theirs["data"], case
        assert hexed(encode_call(function, listed(case["args"]))) == theirs["data"], case
        assert listed(decode_call(function, data)) == theirs["args"] == listed(case["args"]), case
        assert hexed(encode_values(types, listed(case["results"]))) == theirs["answer"], case
        assert listed(decode_values(types, answer)) == theirs["results"], case


def spelt(parameter: Json, maker: Maker) -> str:
    """A parameter as a signature has it, with or without its name."""
    type_ = parameter["type"]
    if components := parameter.get("components"):
        inside = ", ".join(spelt(each, maker) for each in components)
        type_ = f"({inside}){type_.removeprefix('tuple')}"
    elif maker.count(0, 1):
        # In texts the widest integers have a shorter name.
        type_ = type_.replace("int256", "int")
    return f"{type_} {parameter['name']}" if parameter["name"] and maker.count(0, 1) else type_


def test_viem_reads_signatures_of_functions_and_events_alike(viem: Viem) -> None:
    maker = Maker("signatures")
    made = [
        (word, f"play{i}({', '.join(spelt(each, maker) for each in maker.parameters())})")
        for i in range(20)
        for word in ("function", "event")
    ]

    found = viem("signature", [{"text": f"{word} {text}"} for word, text in made])

    for (word, text), theirs in zip(made, found, strict=True):
        ours = Function.parse(text).selector if word == "function" else event_topic(text)
        assert hexed(ours) == theirs, text


def test_viem_finds_the_topics_of_events_alike(viem: Viem) -> None:
    maker = Maker("events")
    cases: list[Json] = []
    for i in range(25):
        inputs = [{"name": f"at{j}", "type": maker.atom(), "indexed": True} for j in range(maker.count(0, 3))]
        # What follows the leading bits of a hash is no topic that can be read back.
        inputs = [
            each | ({"type": "int24"} if each["type"] in ("bytes", "string") else {}) for each in inputs
        ]
        rest = [each | {"indexed": False} for each in maker.parameters()]
        entry = {"type": "event", "name": f"Played{i}", "inputs": inputs + rest}
        args = [maker.value(each) for each in inputs]
        cases.append({"abi": [entry], "name": entry["name"], "args": args})

    for case, theirs in zip(cases, viem("event", cases), strict=True):
        event = parse_function(case["abi"][0])
        indexed = [
            hexed(encode_values([parameter.type], [value]))
            for parameter, value in zip(event.inputs, case["args"], strict=False)
        ]
        assert [hexed(event_topic(event.signature)), *indexed] == theirs, case


def make_errors(maker: Maker, count: int) -> list[Json]:
    cases: list[Json] = []
    for i in range(count):
        entry: Json = {"type": "error", "name": f"Refused{i}", "inputs": maker.parameters(3)}
        args = list(map(maker.value, entry["inputs"]))
        cases.append({"abi": [entry], "name": entry["name"], "args": args})
    return cases


def test_viem_encodes_and_words_custom_errors_alike(viem: Viem) -> None:
    cases = make_errors(Maker("errors"), 40)

    encoded = viem("error", cases)
    found = viem(
        "revert", [{"abi": case["abi"], "data": data} for case, data in zip(cases, encoded, strict=True)]
    )

    for case, data, theirs in zip(cases, encoded, found, strict=True):
        assert hexed(encode_call(parse_function(case["abi"][0]), in_json(case["args"]))) == data, case
        assert decode_revert(bytes.fromhex(data[2:]), case["abi"]) == (theirs["name"], theirs["text"]), case


def test_viem_reads_reasons_panics_and_refusals_alike(viem: Viem) -> None:
    maker = Maker("reverts")
    failed = Function.parse("FailedOp(uint256,string)")
    inputs = [{"name": "opIndex", "type": "uint256"}, {"name": "reason", "type": "string"}]
    abi = [{"type": "error", "name": "FailedOp", "inputs": inputs}]
    reasons = [*TEXTS, "AA23 reverted"]
    panics = [0x00, 0x01, 0x11, 0x12, 0x21, 0x22, 0x31, 0x32, 0x41, 0x51, 0x99, (1 << 256) - 1]
    refusals = [(maker.count(0, 9), f"AA{code} text") for code in (21, 33, 51)]
    made = [
        *map(encode_reason, reasons),
        *map(encode_panic, panics),
        *(encode_call(failed, refusal) for refusal in refusals),
    ]

    found = viem("revert", [{"abi": abi, "data": data} for data in made])

    assert [each["name"] for each in found] == [decode_revert(data, [])[0] for data in made]
    assert [each["args"] for each in found] == [
        *([r] for r in reasons),
        *([p] for p in panics),
        *map(list, refusals),
    ]
    for data, reason in zip(made, reasons, strict=False):
        assert decode_revert(data, []) == ("Error", reason)


def make_document(maker: Maker) -> Json:
    """Typed data with structs in structs and in arrays, and any part of a domain."""
    types: Json = {}
    names = [f"Part{maker.pick('ABCXYZ')}{i}" for i in range(maker.count(1, 4))]
    for at, name in enumerate(names):
        fields = []
        for i in range(maker.count(1, 4)):
            type_ = maker.pick([maker.atom(), *names[:at]])
            dimensions = "".join(maker.pick(("[]", "[2]")) for _ in range(maker.pick((0, 0, 1, 2))))
            fields.append({"name": f"field{i}", "type": type_ + dimensions})
        types[name] = fields
    domain = {
        "name": maker.pick(TEXTS[1:]),
        "version": "1",
        "chainId": maker.count(1, 10**9),
        "verifyingContract": maker.plain("address"),
        "salt": maker.raw(32),
    }
    domain = {name: value for name, value in domain.items() if maker.count(0, 2)}
    message = make_struct(maker, types, names[-1])
    return {"types": types, "domain": domain, "primaryType": names[-1], "message": message}


def make_struct(maker: Maker, types: Json, name: str) -> Json:
    return {field["name"]: make_member(maker, types, field["type"]) for field in types[name]}


def make_member(maker: Maker, types: Json, type_: str) -> Any:
    item, bracket, length = type_.rpartition("[")
    if bracket:
        count = maker.count(0, 3) if length == "]" else int(length[:-1])
        return [make_member(maker, types, item) for _ in range(count)]
    return make_struct(maker, types, type_) if type_ in types else maker.plain(type_)


def test_viem_hashes_and_signs_typed_data_alike(viem: Viem) -> None:
    maker = Maker("typed data")
    made = [(maker.raw(32), make_document(maker)) for _ in range(60)]

    found = viem("typedData", [{"secret": secret, "document": document} for secret, document in made])

    for (secret, document), theirs in zip(made, found, strict=True):
        digest = typed_data_digest(in_json(document))
        assert {"digest": hexed(digest), "signature": sign(secret, digest).hex} == theirs, document
