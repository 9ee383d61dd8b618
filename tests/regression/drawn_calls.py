"""The part of a story that is drawn: valid calls and slightly wrong ones, with what was seen before."""

import json
from typing import Any
from urllib.parse import quote, urlencode

from tests.regression.document import Operation, Schema
from tests.regression.story import Project, Story, collection_of

# Members that hold ids, by the prefix of those ids.
PREFIXES = {
    "user": ["usr_", "pla_"],
    "userId": ["usr_"],
    "walletId": ["pla_"],
    "wallet": ["pla_"],
    "player": ["pla_"],
    "account": ["acc_"],
    "accountId": ["acc_"],
    "contract": ["con_"],
    "contractId": ["con_"],
    "policy": ["pol_"],
    "policyId": ["ply_", "pol_"],
    "feeSponsorshipId": ["pol_"],
    "paymaster": ["pay_"],
    "forwarderContract": ["cfo_"],
    "forwarderContractId": ["cfo_"],
    "depositor": ["dac_"],
}
CHAINS = [80002, 80002, 80002, 11155111, 84532, 1, 137, 300, 999999]
ADDRESSES = ["0x" + byte * 20 for byte in ("11", "22", "ab", "5f")]
TEXTS = [
    "",
    "x",
    "Ada",
    "ada@example.com",
    "+15550001111",
    "0x",
    "12",
    "-1",
    "1e3",
    "\u00e9\U0001f600",
    "a" * 300,
]
WRONG: list[Any] = [None, 0, -1, 1.5, True, "", "x", [], {}, [None], "0x1", 2**53]
# Called only by the journeys: it ends the ways in that later calls need.
SPARED = frozenset({"rotateWalletSecret", "revokeWalletSecret", "DeletePolicyV2"})


class Draw:
    """Draws calls of a project."""

    def __init__(self, story: Story, project: Project) -> None:
        self.story = story
        self.project = project
        self.chance = story.chance
        self.document = story.document

    def call(self, operation: Operation) -> None:
        """Make one call of an operation."""
        path = operation.path
        for parameter in self.document.parameters(operation, "path"):
            name = parameter["name"]
            path = path.replace(f"{{{name}}}", quote(self._path_value(operation, name), safe=""))
        query = self._query(operation)
        body = self._body(operation)
        headers = self._headers(operation)
        wallet_auth = self.project.wallet_auth
        if wallet_auth is not None and needs_wallet_auth(operation):
            headers["x-wallet-auth"] = wallet_auth(operation.method, path, body)
        self.project.answer(operation.method, path + query, body, headers)

    def _path_value(self, operation: Operation, name: str) -> str:
        seen = self.project.path_values[collection_of(operation, name)]
        if seen and self.chance.random() < 0.85:
            return self.chance.choice(seen)
        every = [found for ids in self.project.ids.values() for found in ids]
        return self.chance.choice([*every, "unknown", "acc_unknown"])

    def _query(self, operation: Operation) -> str:
        pairs: list[tuple[str, str]] = []
        for parameter in self.document.parameters(operation, "query"):
            if parameter.get("required", False) or self.chance.random() < 0.25:
                value = self._value(parameter["name"], parameter["schema"], 0)
                values = value if isinstance(value, list) else [value]
                pairs += [(parameter["name"], plain(each)) for each in values]
        if self.chance.random() < 0.03:
            pairs.append(("unknown", "1"))
        return "?" + urlencode(pairs) if pairs else ""

    def _body(self, operation: Operation) -> Any:
        if operation.body is None:
            return None
        seen = self.project.bodies[operation.id]
        if seen and self.chance.random() < 0.7:
            body: Any = json.loads(json.dumps(self.chance.choice(seen)))
        else:
            body = self._value("", operation.body, 0)
        if isinstance(body, dict) and self.chance.random() < 0.45:
            self._spoil(body)
        return body

    def _spoil(self, body: dict[str, Any]) -> None:
        """Make one member of a body wrong: missing, of another type, unknown, or another id."""
        names = list(body)
        kind = self.chance.randrange(4)
        if not names or kind == 3:
            body["unknownMember"] = self.chance.choice(WRONG)
            return
        name = self.chance.choice(names)
        inner = body[name]
        # A list may have texts beside objects.
        objects = [each for each in (inner if isinstance(inner, list) else [inner]) if isinstance(each, dict)]
        if any(objects) and self.chance.random() < 0.6:
            self._spoil(self.chance.choice(objects))
        elif kind == 0:
            del body[name]
        elif kind == 1:
            body[name] = self.chance.choice(WRONG)
        else:
            body[name] = self._text(name)

    def _headers(self, operation: Operation) -> dict[str, str]:
        ways = operation.declaration.get("security", [])
        accepted = self.project.credentials[operation.id]
        headers: dict[str, str] = {}
        drawn = self.chance.random()
        if drawn < 0.03:
            headers = {"authorization": "Bearer " + self.chance.choice(["sk_test_nobody", "x", ""])}
        elif drawn < 0.06:
            headers = dict(self.project.publishable)
        elif drawn < 0.08:
            other = self.chance.choice(self.story.projects)
            headers = dict(other.secret)
        elif accepted and drawn < 0.8:
            headers = dict(self.chance.choice(accepted))
        elif ways:
            headers = self._credentials(sorted(self.chance.choice(ways)))
        if self.chance.random() < 0.05:
            headers["x-idempotency-key"] = f"key-{self.chance.randrange(20)}"
        if self.chance.random() < 0.05:
            headers["x-request-id"] = f"request-{self.chance.randrange(100)}"
        return headers

    def _credentials(self, way: list[str]) -> dict[str, str]:
        project = self.project
        if "sessionToken" in way or way == ["projectKey"]:
            user = self.chance.choice(project.users) if project.users else {}
            return {
                **project.visitor,
                **(user if "sessionToken" in way or self.chance.random() < 0.5 else {}),
            }
        if "playerToken" in way:
            return {**project.publishable, "x-auth-provider": "firebase", "x-player-token": "a.b.c"}
        return dict(project.publishable if "publishableKey" in way else project.secret)

    def _value(self, name: str, schema: Schema, depth: int) -> Any:
        """A value that fits a schema, more or less."""
        schema = self.document.resolve(schema)
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._value(name, self.chance.choice(schema[several]), depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.chance.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" or "properties" in schema:
            return self._object(schema, depth)
        if kind == "array":
            items = schema.get("items", {})
            return [self._value(name, items, depth + 1) for _ in range(self.chance.randrange(1, 3))]
        return self._scalar(name, kind, schema)

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = schema.get("required", [])
        return {
            name: self._value(name, member, depth + 1)
            for name, member in schema.get("properties", {}).items()
            if name in required or (depth < 4 and self.chance.random() < 0.4)
        }

    def _scalar(self, name: str, kind: Any, schema: Schema) -> Any:
        if kind == "boolean":
            return self.chance.random() < 0.5
        if kind == "null":
            return None
        if kind in ("integer", "number"):
            if name == "chainId":
                return self.chance.choice(CHAINS)
            return self.chance.choice([0, 1, 2, 5, 10, 100, 1_767_225_600, 1_767_229_200])
        return self._text(name)

    def _text(self, name: str) -> str:
        seen = [found for prefix in PREFIXES.get(name, []) for found in self.project.ids[prefix]]
        if seen and self.chance.random() < 0.9:
            return self.chance.choice(seen)
        if name in ("to", "from") or "ddress" in name or "Contract" in name:
            return self.chance.choice(ADDRESSES)
        return self.chance.choice(TEXTS)


def needs_wallet_auth(operation: Operation) -> bool:
    """Whether calls have to be signed with the wallet secret."""
    return any("walletAuth" in way for way in operation.declaration.get("security", []))


def project_for(story: Story, operation: Operation) -> Project:
    """Mostly a project in which the operation, or one beside it, can succeed."""
    fitting = [project for project in story.projects if project.can(operation)]
    return story.chance.choice(fitting if fitting and story.chance.random() < 0.85 else story.projects)


def plain(value: Any) -> str:
    """A value as a query spells it."""
    return value if isinstance(value, str) else json.dumps(value)


def draw(story: Story, count: int) -> None:
    """Draw so many calls, evenly over operations and projects."""
    operations = [each for each in story.document.operations if each.id not in SPARED]
    for number in range(count):
        operation = operations[number % len(operations)]
        if operation.method == "DELETE" and story.chance.random() < 0.6:
            operation = story.chance.choice(operations)
        project = project_for(story, operation)
        Draw(story, project).call(operation)
        if story.chance.random() < 0.01:
            project.advance(story.chance.choice([1, 5, 60, 3600]))
